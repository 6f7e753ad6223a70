"""The command line: arguments in, public verbs called, one line per error, an exit code out."""
