"""From a study and a notebook to the report: PDF and HTML. Knows notebooks, not storage."""
