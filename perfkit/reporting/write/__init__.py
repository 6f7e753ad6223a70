"""Writing the document: Typst to PDF, HTML, and charts as vectors."""
