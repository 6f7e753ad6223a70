"""Ten thousand random curves: no sentence on them is untrue, and the reader who says so reads."""

import random

from claims import changed, curves, reader, told

CURVES = 10_000


def test_no_sentence_on_ten_thousand_curves_is_untrue():
    read = caught = tried = seen = seed = 0
    while seen < CURVES:
        seed += 1
        draw = random.Random(10_000 + seed)
        points = curves.systems(draw)
        seen += len({p.system for p in points})
        sentences, known, _ = told.sentences(points, told.values_asked(draw, points))
        for text in sentences:
            assert reader.check(text, known) is None, (seed, text)
            read += 1
            if seed % 10 == 0:
                tried += 1
                caught += reader.check(changed.change(draw, text), known) is not None
    print(
        f"\n{read:,} sentences on {seen:,} curves, none untrue; of {tried:,} with one word or "
        f"number changed {caught / tried:.1%} found"
    )
    assert caught >= 0.95 * tried
