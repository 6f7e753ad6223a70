"""Questions asked of load points and of the curves they make."""
