"""GenIO runs, of one server and of several."""
