"""From an executed notebook to a document: headings, captions, cover, appendix."""
