"""Relations that a document shows by itself: quantities, the families that relate them, findings."""
