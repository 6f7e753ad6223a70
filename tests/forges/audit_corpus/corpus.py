"""Documents of all layouts, with errors put in."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from random import Random

from forges.audit_corpus.tables import KINDS, Made, Relation

LAYOUTS = ("markdown", "csv", "tabs", "stacked", "set")


@dataclass
class Document:
    """A text in one layout, the table in it, and the lines of its cells."""

    name: str
    text: str
    made: Made


def corpus(tables: int = 200, errors: int = 300, seed: int = 1) -> list[Document]:
    """So many tables with so many errors spread over them; the same seed, the same text."""
    rng = Random(seed)
    made = [rng.choice(KINDS)(rng) for _ in range(tables)]
    left = errors
    while left:
        table = rng.choice(made)
        # most tables are mostly right: a third of their relations at most is made wrong
        if len(table.wrong) < max(1, len(table.relations) // 3):
            left -= _spoil(table, rng)
    found = []
    for number, table in enumerate(made):
        layout = LAYOUTS[number % len(LAYOUTS)]
        if (layout == "stacked" and len(table.heads) > 1) or (layout == "csv" and table.sentences):
            # text copied from a page has lost the levels of its heads, and a CSV says no sentence
            layout = "markdown"
        ending = "csv" if layout == "csv" else "md"
        name = f"{number:03}-{layout}.{ending}"
        found.append(Document(name, _WRITERS[layout](table, number, rng), table))
    return found


def _spoil(made: Made, rng: Random) -> bool:
    """Make one claim wrong beyond its rounding; False where the pick does not suit."""
    relation = rng.choice(made.relations)
    at = relation.claim
    touched = {
        p for r in made.relations if at == r.claim or at in r.inputs for p in (r.claim, *r.inputs)
    }
    if touched & made.wrong:
        return False
    if relation.kind == "limit":
        value = (made.values[at] + relation.slack) * rng.uniform(1.02, 1.6)
    else:
        value = _wrong(made, relation, rng)
    style = made.style[at]
    if value is None:
        return False
    text = style.show(value)
    if (
        text == made.cells[at[0]][at[1]]
        or abs(_bare(text) - made.values[at]) < 2.2 * relation.slack
    ):
        return False
    made.cells[at[0]][at[1]] = text
    made.wrong.add(at)
    return True


def _bare(text: str) -> float:
    scale = 1e3 if "K" in text else 1e6 if "M" in text else 1.0
    return float(re.sub(r"[^\d.+-]", "", text)) * scale


def _wrong(made: Made, relation: Relation, rng: Random) -> float | None:
    """A slip of the pen: two digits changed places, one other digit, a sign, a power of ten."""
    value = made.values[relation.claim]
    style = made.style[relation.claim]
    digits = style.show(abs(value)).replace(",", "").replace("+", "")
    number = re.match(r"[\d.]+", digits)
    assert number
    kind = rng.choice(["swap", "digit", "digit", "sign", "ten", "near"])
    scale = {"": 1.0, "K": 1e3, "M": 1e6}[style.scale]
    text = number[0]
    places = [i for i, c in enumerate(text) if c.isdigit()]
    if kind == "swap" and len(places) > 1:
        i = rng.randrange(len(places) - 1)
        a, b = places[i], places[i + 1]
        chars = list(text)
        chars[a], chars[b] = chars[b], chars[a]
        return float("".join(chars)) * scale * (1 if value >= 0 else -1)
    if kind == "digit":
        i = rng.choice(places)
        other = rng.choice([d for d in "123456789" if d != text[i]])
        return float(text[:i] + other + text[i + 1 :]) * scale * (1 if value >= 0 else -1)
    if kind == "sign" and relation.kind in {"difference", "percent"} and style.sign:
        return -value
    if kind == "ten":
        return value * 10
    return value * rng.choice([0.9, 0.95, 1.04, 1.08])


def _marked(made: Made, rng: Random) -> list[list[str]]:
    """Cells with the mark of a footnote on one."""
    cells = [list(row) for row in made.cells]
    if rng.random() < 0.3:
        row = rng.choice(cells)
        at = rng.randrange(1, len(row))
        if row[at] != "-":
            row[at] += rng.choice(["*", "<sup>1</sup>", "\u2020", "[^1]", " [1]"])
    return cells


def _around(made: Made, number: int, table: list[str], rng: Random) -> str:
    lines = [
        f"# Performance note {number}",
        "",
        "## Results",
        "",
        "All tests were made with direct I/O after preconditioning. Each point ran for 20 minutes.",
        "",
        *(f"{s}\n" for s in made.sentences),
        f"Table {number + 1}: Results of the measurement.",
        "",
        *table,
        "",
    ]
    if rng.random() < 0.4:
        lines += ["* Measured after a restart of the service.", ""]
    lines += ["The results are discussed in the next section."]
    return "\n".join(lines) + "\n"


def _markdown(made: Made, number: int, rng: Random) -> str:
    first, *more = made.heads
    rows = [first, ["---"] * len(first), *more, *_marked(made, rng)]
    bold = rng.random() < 0.3
    lines = [
        "| "
        + " | ".join(f"**{c}**" if bold and i == 0 and c.strip("-") else c for i, c in enumerate(r))
        + " |"
        for r in rows
    ]
    return _around(made, number, lines, rng)


def _csv(made: Made, number: int, rng: Random) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([*made.heads, *made.cells])
    return stream.getvalue()


def _tabs(made: Made, number: int, rng: Random) -> str:
    return _around(
        made, number, ["\t".join(row) for row in [*made.heads, *_marked(made, rng)]], rng
    )


def _stacked(made: Made, number: int, rng: Random) -> str:
    lines = [" ".join(made.heads[0])]
    for row in made.cells:
        for cell in row:
            lines += ["", cell]
    return _around(made, number, lines, rng)


def _set(made: Made, number: int, rng: Random) -> str:
    rows = [*made.heads, *made.cells]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "   ".join(
            c.ljust(w) if i == 0 else c.rjust(w)
            for i, (c, w) in enumerate(zip(r, widths, strict=True))
        )
        for r in rows
    ]
    return _around(made, number, lines, rng)


_WRITERS = {"markdown": _markdown, "csv": _csv, "tabs": _tabs, "stacked": _stacked, "set": _set}
