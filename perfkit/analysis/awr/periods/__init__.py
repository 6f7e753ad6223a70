"""A series of AWR or Statspack reports: its periods in time, what changed, and what it was."""
