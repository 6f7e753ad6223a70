"""AWR and Statspack reports of known content, printed as Oracle's releases print them.

It shares nothing with perfkit.sources.awr but the names of tables and columns, in which it says
what a report contains. How a report is printed was read from real reports; of RAC-global text only
a published fragment is known, and of text 19c the sections that a published PDB report shows.
"""

from forges.awr import content
from forges.awr.content import Content
from forges.awr.forge import (
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
from forges.awr.printing import Cut, Shown
from forges.awr.sheet import Forged
from forges.awr.strategies import contents, sample

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
