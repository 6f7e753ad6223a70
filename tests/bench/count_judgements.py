"""How many findings of each family were right: counted from judgements.tsv, never by hand.

Its column ``told`` says how many findings of today's rules a row judges: 0 where they tell it no
longer, empty where nobody looked since. ``python -m bench.count_judgements`` (in tests/) writes
perfkit/auditing/found/precision.py anew.
"""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from places import ROOT, TESTS

JUDGEMENTS = TESTS / "data/audit/judgements.tsv"
MODULE = ROOT / "perfkit/auditing/found/precision.py"
BEGIN, END = "JUDGED: dict[str, tuple[int, int]] = {\n", "}  # fmt: skip\n"


def tally(path: Path = JUDGEMENTS) -> dict[str, tuple[int, int]]:
    """Of each family: findings that were right, and all that were judged."""
    right: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    with path.open(encoding="utf-8") as lines:
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            many = int(row["told"] or 0)
            judged[row["rule"]] += many
            right[row["rule"]] += many * (row["true"] == "yes")
    return {family: (right[family], many) for family, many in sorted(judged.items()) if many}


def write() -> None:
    """Write the table of the module."""
    text = MODULE.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    rows = "".join(f'    "{family}": {counts},\n' for family, counts in tally().items())
    MODULE.write_text(text[:start] + rows + text[end:], encoding="utf-8")


if __name__ == "__main__":
    write()
