"""Whether the numbers of a document agree with each other."""
