"""Forged AWR and Statspack reports of known content, made from what real reports look like.

It shares nothing with perfkit.parsers.awr but the names of tables and columns, in which it says
what a report contains.
"""

from .content import Content
from .forge import forge_html
from .sheet import Forged
from .strategies import contents, sample

__all__ = ["Content", "Forged", "contents", "forge_html", "sample"]
