"""The same answer over many runs: histories, where they change, and whether they got worse."""
