"""What is looked up on a host, here or on another one: facts as JSON, judged by the caller.

The modules that ``program.MODULES`` lists import only the standard library (Python 3.6 and later)
and each other, so that they can be sent to a remote host's ``python3`` as one text. What cannot be
read is null, and never an error.
"""
