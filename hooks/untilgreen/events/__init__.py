"""What a host tells us, a file each: stops, edits, prompts and sessions; from payload to reply."""
