"""What is judged without a loop: stops after edits, edits, teammates."""
