"""Tables copied from a printed document, with the document's own rounding."""
