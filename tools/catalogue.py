"""Write docs/catalogue.md: every table that perfkit reads, with its columns, from the schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.sources import SOURCES

if TYPE_CHECKING:
    from perfkit.core.schema import Schema

PAGE = Path(__file__).resolve().parents[1] / "docs" / "catalogue.md"
HEAD = """# The tables and their columns

Made from the schemas by `make catalogue`; `perfkit sources KIND` prints the same. Missing is null.
"""


def catalogue() -> str:
    """The page: a chapter for each kind, a table for each of its tables."""
    return "\n".join([HEAD, *_lines()])


def _lines() -> Iterator[str]:
    printed: list[tuple[Schema, str]] = []
    for source in SOURCES.values():
        yield f"## {source.name}\n\n{source.description}\n"
        for name, schema in source.tables.items():
            title = "every table" if name == "*" else f"`{name}`"
            same = next((place for known, place in printed if known == schema), None)
            if same is not None:
                yield f"### {title} of {source.name}\n\nThe columns of {same}.\n"
                continue
            anchor = re.sub(r"[^a-z0-9_ -]", "", f"{title} of {source.name}").replace(" ", "-")
            printed.append((schema, f"[{title} of {source.name}](#{anchor})"))
            yield f"### {title} of {source.name}\n\n| column | unit | meaning |\n|---|---|---|"
            for column, field in schema.items():
                yield f"| `{column}` | {field.unit or ''} | {field.meaning.replace('|', '/')} |"
            yield ""


if __name__ == "__main__":
    PAGE.write_text(catalogue(), encoding="utf-8")
