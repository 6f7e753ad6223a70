"""What may be written to, and what may be removed: the checks that the load generators lack."""
