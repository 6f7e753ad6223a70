"""The load generators: how each is started, what its jobs say and what it writes."""
