"""AWR and Statspack reports of known content, printed as Oracle's releases print them.

It shares nothing with perfkit.parsers.awr but the names of tables and columns, in which it says
what a report contains. How a report is printed was read from real reports; of RAC-global text only
a published fragment is known, and of text 19c the sections that a published PDB report shows.
"""

from perfkit.samples.awr_forge import content
from perfkit.samples.awr_forge.content import Content
from perfkit.samples.awr_forge.forge import (
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
from perfkit.samples.awr_forge.printing import Cut, Shown
from perfkit.samples.awr_forge.sheet import Forged

__all__ = [
    "DIALECTS",
    "MANY",
    "NARROW",
    "Content",
    "Cut",
    "Forged",
    "Shown",
    "content",
    "forge",
    "forge_html",
    "forge_rac",
    "forge_rac_text",
    "forge_statspack",
    "forge_text",
    "rac_page",
]
