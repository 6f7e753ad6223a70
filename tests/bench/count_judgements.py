"""How many findings of each family were right: counted from judgements.tsv, never by hand.

Its column ``told`` says how many findings of today's rules a row judges: 0 where they tell it no
longer, empty where nobody looked since. ``unseen`` marks what was found in documents before any
rule was mended with them, and counts once whatever became of it.

``python -m bench.count_judgements`` (in tests/) writes perfkit/auditing/found/precision.py anew.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from places import ROOT, TESTS

JUDGEMENTS = TESTS / "data/audit/judgements.tsv"
MODULE = ROOT / "perfkit/auditing/found/precision.py"
BEGIN, END = "{name}: dict[str, tuple[int, int]] = {{\n", "}  # fmt: skip\n"


def tally(path: Path = JUDGEMENTS, *, unseen: bool = False) -> dict[str, tuple[int, int]]:
    """Of each family: findings that were right, and all that were judged.

    ``unseen``: at the first look at documents that no rule had seen, instead of today's.
    """
    right: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            many = int(row["unseen"] == "yes") if unseen else int(row["told"] or 0)
            judged[row["rule"]] += many
            right[row["rule"]] += many * (row["true"] == "yes")
    return {family: (right[family], many) for family, many in sorted(judged.items()) if many}


def write() -> None:
    """Write the table of the module."""
    text = MODULE.read_text(encoding="utf-8")
    for name, counted in (("JUDGED", tally()), ("UNSEEN", tally(unseen=True))):
        begin = BEGIN.format(name=name)
        start = text.index(begin) + len(begin)
        rows = "".join(f'    "{family}": {counts},\n' for family, counts in counted.items())
        text = text[:start] + rows + text[text.index(END, start) :]
    MODULE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
