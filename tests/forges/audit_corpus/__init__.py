"""Generated documents with known relations and known errors, to measure the audit with.

Written without looking at the detector's words: labels are those of vendors' reports, with their
synonyms, units, rounding and footnotes. Each table knows its relations (claim and inputs as cells)
and which cells were made wrong.
"""

from forges.audit_corpus.corpus import Document, corpus

__all__ = ["Document", "corpus"]
