"""AWR and Statspack reports side by side, and their waits."""
