"""The directory that a run of SLOB (Oracle I/O benchmark) leaves behind."""
