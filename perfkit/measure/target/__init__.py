"""The file that is measured: perfkit's own, known by more than its name, and without holes."""
