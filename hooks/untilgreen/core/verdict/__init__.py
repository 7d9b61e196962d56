"""The verdict on a stop: policy, measure, progress, limits, proof and blame. Pure."""
