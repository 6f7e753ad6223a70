"""Documents as text: their tables of printed cells, sentences, headings and captions, with lines.

``document_of`` reads Markdown, CSV, tables set with tabs or blanks (the text of a PDF) and tables
of which each cell stands in a paragraph of its own (the text of a web page).
"""

from perfkit.sources.printed.document.blocks import Form, document_of
from perfkit.sources.printed.document.model import Document, Row, Sentence, Table

__all__ = ["Document", "Form", "Row", "Sentence", "Table", "document_of"]
