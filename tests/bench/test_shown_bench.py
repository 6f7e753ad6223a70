"""Ten thousand random curves: no table and no chart of them shows what is untrue.

The tables of 8,000 of them are read and the charts, which cost more, of 2,000; of each tenth case
one slip is made.
"""

import random
import time

import pytest
from claims import cells, curves, marks, shown, slips, told

READ = {
    "tables": (8_000, shown.tables, cells.check),
    "charts": (2_000, shown.figures, marks.check),
}
"""What is read -> of how many curves, how it is made, and its reader."""


@pytest.mark.parametrize("kind", READ)
def test_ten_thousand_curves_are_shown_as_they_are(kind):
    count, made, check = READ[kind]
    begun = time.monotonic()
    read = seen = caught = tried = 0
    seed = 1_000_000 if kind == "tables" else 2_000_000
    while seen < count:
        seed += 1
        draw = random.Random(seed)
        points = curves.systems(draw)
        seen += len({p.system for p in points})
        of = shown.case(points, told.values_asked(draw, points))
        for item in made(of):
            assert check(item, of) is None, (seed, item.name, item.question)
            read += item.data is not None
            changed = slips.slipped(draw, item) if seed % 10 == 0 else None
            if changed is not None:
                tried += 1
                caught += check(changed, of) is not None
    print(
        f"\n{read:,} {kind} of {seen:,} curves, none untrue; of {tried:,} with one slip "
        f"{caught / tried:.1%} found; {time.monotonic() - begun:.0f} s"
    )
    assert caught >= 0.95 * tried
