"""Relations of a document that are found by themselves: in its tables and between its sentences.

Every rule rests on the shape (an aggregate's row, a label with a unit) and on the standard words of
the field; where a shape could be read in several ways, the document's own numbers decide which one
is meant, and where they do not, nothing is said.
"""
