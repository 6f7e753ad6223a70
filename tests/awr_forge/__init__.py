"""Contents drawn by hypothesis and damage, for the reports of perfkit.samples.awr_forge."""

from perfkit.samples.awr_forge import (
    DIALECTS,
    MANY,
    NARROW,
    Content,
    Cut,
    Forged,
    Shown,
    content,
    forge,
    forge_html,
    forge_rac,
    forge_rac_text,
    forge_statspack,
    forge_text,
    rac_page,
)

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
