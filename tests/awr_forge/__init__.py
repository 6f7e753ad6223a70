"""Forged AWR and Statspack reports of known content, made from what real reports look like.

It shares nothing with perfkit.parsers.awr but the names of tables and columns, in which it says
what a report contains. How a report is printed was read from real reports; of RAC-global text only
a published fragment is known, and of text 19c the sections that a published PDB report shows.
"""

from . import content
from .content import Content
from .forge import (
    DIALECTS,
    MANY,
    NARROW,
    forge,
    forge_html,
    forge_rac,
    forge_rac_text,
    forge_statspack,
    forge_text,
    rac_page,
)
from .printing import Cut, Shown
from .sheet import Forged
from .strategies import contents, sample

__all__ = [
    "DIALECTS",
    "MANY",
    "NARROW",
    "Content",
    "Cut",
    "Forged",
    "Shown",
    "content",
    "contents",
    "forge",
    "forge_html",
    "forge_rac",
    "forge_rac_text",
    "forge_statspack",
    "forge_text",
    "rac_page",
    "sample",
]
