"""A stop, from the payload to the reply."""
