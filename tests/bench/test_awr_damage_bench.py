"""One damage at a time over all dialects: no number moves without a word of it."""

from __future__ import annotations

import os
from random import Random

import pytest
from forges import awr
from forges.awr import text_damage
from forges.awr.damage import KINDS, damaged, frames, moved

from perfkit.core.errors import ParseError
from perfkit.sources.awr import read_awr

COUNT = int(os.environ.get("AWR_DAMAGES", "400"))
GOOD_LOST = 0.01
"""Share of the other rows that one damaged line of a text may take along: a line of a histogram
has up to eight."""

HTML = [name for name in awr.DIALECTS if name.startswith(("html", "rac-1"))]
TEXT = [name for name in awr.DIALECTS if name not in HTML]


@pytest.mark.parametrize("dialect", HTML)
def test_no_single_damage_moves_a_number(dialect, tmp_path):
    """Each value of each frame is the undamaged report's, or null."""
    count = 3 if dialect in awr.MANY else 1
    content = awr.sample(4819, instances=count, cdb=dialect == "html-pdb", statements=2)
    data = awr.forge(content, dialect).data
    path = tmp_path / "report.html"
    path.write_bytes(data)
    whole = frames(read_awr(path, root=tmp_path))
    random, refused, wrong = Random(dialect), 0, []
    for number in range(COUNT):
        kind = KINDS[number % len(KINDS)]
        path.write_bytes(damaged(data, kind, random))
        try:
            found = frames(read_awr(path, root=tmp_path))
        except ParseError:
            refused += 1
            continue
        for row in found["report"]:
            # another table of the report gives it where the first one is lost
            row["block_size_bytes"] = None
        wrong += [f"{number} ({kind}): {text[:300]}" for text in moved(whole, found)]
    print(f"\nAWR damage, {dialect}: {COUNT} damages, {refused} refused, {len(wrong)} rows moved")
    assert wrong == []


@pytest.mark.parametrize("dialect", TEXT)
def test_no_single_damage_moves_a_number_of_a_text_without_a_word(dialect, tmp_path):
    """Every kind of damage in every area: told, or each value is the undamaged report's."""
    count = 3 if dialect in awr.MANY else 1
    content = awr.sample(4819, instances=count, narrow=True, statements=2)
    data = awr.forge(content, dialect).data
    path = tmp_path / "report.txt"
    path.write_bytes(data)
    reading = read_awr(path, root=tmp_path)
    whole = (frames(reading), reading.evidence)
    random, refused, wrong = Random(dialect), 0, []
    rows, damages, lost = sum(map(len, whole[0].values())), 0, 0
    for number, (kind, area) in zip(range(COUNT), text_damage.every(), strict=False):
        page, damage = text_damage.damaged(data, kind, area, random)
        path.write_bytes(page)
        try:
            reading = read_awr(path, root=tmp_path)
        except ParseError:
            refused += 1
            continue
        found = (frames(reading), reading.evidence)
        if area == "row" and not kind.endswith(("line", "lines")):
            damages += 1
            lost += text_damage.lost(whole, found, damage)
        wrong += [
            f"{number}: {damage}: {text[:300]}" for text in text_damage.silent(whole, found, damage)
        ]
    share = lost / max(1, rows * damages)
    print(f"\nAWR damage, {dialect}: {COUNT} damages, {refused} refused, {len(wrong)} rows moved; "
          f"of {rows} rows {share:.2%} were lost beside a damaged one")  # fmt: skip
    assert wrong == []
    assert share < GOOD_LOST
