"""What a host's own tools recorded: iostat, vmstat, mpstat, sar and sadf to time series."""
