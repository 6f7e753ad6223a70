"""The chart of the findings fills its page; others that leave a gap go to the top of the next.

A chart stands where the text names it. One that its page has no room for moves on, with a heading
above it, and what follows would wait for it; instead that text fills the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import typst

    from perfkit.reporting.write.first_page import Hero

LEAST_GAP = 0.1
"""A gap of less of a page is left: it costs a reader less than a chart away from its text."""

MOST_ROUNDS = 3
"""Where one chart moves, later ones may; each round sets the pages again, and one looks last."""

_ASKED = """(query(<first-page>).map(mark => mark.value), query(<before>).map(mark => {
  let (page, y) = mark.location().position()
  let (chart, end) = mark.value
  let thing = if chart == none { query(selector(heading).after(mark.location())).first() } else {
    query(<drawn>).find(it => it.value == chart)
  }
  let chapters = query(selector(heading.where(level: 1)).after(mark.location()))
  let next = if chapters.len() > 0 { chapters.first().location().page() } else { 0 }
  (chart, page, 1 - y / end, thing.location().page(), next)
}))"""


@dataclass(frozen=True)
class _Thing:
    """A chart, or a heading (None).

    Attributes:
        chart: The id of a chart.
        before: The page on which the text before it ends.
        left: The part of that page which is left below that text.
        page: Where it stands itself.
        next_chapter: The page on which the next chapter begins; 0 where none follows.
    """

    chart: str | None
    before: int
    left: float
    page: int
    next_chapter: int = 0

    @property
    def misplaced(self) -> bool:
        """Before its text, on the same page, further off than the next, or in another chapter."""
        return self.page - self.before != 1 or 0 < self.next_chapter <= self.before


def settle(
    compiler: Callable[[], typst.Compiler], main: Path, hero: Hero | None = None
) -> typst.Compiler:
    """Fit the chart of the findings to its page, and let those float that leave a gap.

    Args:
        compiler: Makes a compiler of ``main`` as it is now; what did not change since the last one
            set it is not set again.
        main: The main text, in which each chart stands as ``#chart("id")``.
        hero: The chart of the findings.

    Returns:
        The compiler of the last round.

    Raises:
        TypstError: Typst refused the text.
    """
    kept: set[str | None] = set()
    floating: set[str | None] = set()
    for number in range(MOST_ROUNDS + 1):
        current = compiler()
        left, asked = json.loads(current.eval(_ASKED))
        things = [_Thing(*item) for item in asked]
        height = hero.height_mm(left[0]) if hero and number == 0 else None
        if hero and height:
            _resize(main, hero, height)
            kept.add(hero.id)
        elif hero and number == 0:
            text = main.read_text(encoding="utf-8")
            main.write_text(text.replace("#lists()", "#lists(below: true)", 1), encoding="utf-8")
            height = hero.chart.height_mm  # the pages changed: they are looked at again
        wrong = {thing.chart for thing in things if thing.misplaced}
        kept |= wrong & floating
        wanted = (floating | (set() if number == MOST_ROUNDS else _leave_gaps(things))) - kept
        if wanted == floating and not height:
            return current
        _float(main, floating ^ wanted)
        floating = wanted
    return compiler()


def _leave_gaps(things: list[_Thing]) -> set[str | None]:
    """The charts that moved on and left a gap, by themselves or below a heading that did."""
    found: set[str | None] = set()
    gap = None
    for thing in things:
        if thing.page > thing.before and thing.left > LEAST_GAP:
            gap = thing.page
        if thing.chart:
            if thing.page == gap:
                found.add(thing.chart)
            gap = None
    return found


def _resize(main: Path, hero: Hero, height_mm: float) -> None:
    """Draw the chart of the findings at this height."""
    (main.parent / hero.path).write_bytes(hero.drawn(height_mm))
    call = f"#chart({json.dumps(hero.id, ensure_ascii=False)}"
    text = main.read_text(encoding="utf-8")
    main.write_text(text.replace(f"{call})", f"{call}, height: {height_mm:.2f})"), encoding="utf-8")


def _float(main: Path, charts: set[str | None]) -> None:
    """Change whether the charts with these ids float."""
    text = main.read_text(encoding="utf-8")
    for chart in charts:
        call = f"chart({json.dumps(chart, ensure_ascii=False)}"
        fixed, free = f"#{call})", f"#{call}, float: true)"
        text = text.replace(free, fixed) if free in text else text.replace(fixed, free)
    main.write_text(text, encoding="utf-8")
