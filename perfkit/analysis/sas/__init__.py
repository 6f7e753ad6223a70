"""SAS sessions: steps, jobs, real and CPU time, I/O."""
