"""Facts about a host, this one or another, as JSON; the caller judges them.

The modules in ``program.MODULES`` import only the standard library (Python 3.6 and later) and each
other: they are sent to a remote host's ``python3`` as one text. What cannot be read is null, never
an error.
"""
