"""Charts that would leave a page part empty move to the top of the next, the text before them.

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

LEAST_GAP = 0.1
"""A gap of less of a page is left: it costs a reader less than a chart away from its text."""

MOST_ROUNDS = 3
"""Where one chart moves, later ones may; each round sets the pages again, and one looks last."""

_ASKED = """query(<before>).map(mark => {
  let (page, y) = mark.location().position()
  let (chart, end) = mark.value
  let thing = if chart == none { query(selector(heading).after(mark.location())).first() } else {
    query(<drawn>).find(it => it.value == chart)
  }
  (chart, page, 1 - y / end, thing.location().page())
})"""


@dataclass(frozen=True)
class _Thing:
    """A chart, or a heading (None).

    Attributes:
        chart: The id of a chart.
        before: The page on which the text before it ends.
        left: The part of that page which is left below that text.
        page: Where it stands itself.
    """

    chart: str | None
    before: int
    left: float
    page: int


def settle(compiler: Callable[[], typst.Compiler], main: Path) -> typst.Compiler:
    """Let the charts in ``main`` float that leave a gap, until no other does.

    Args:
        compiler: Makes a compiler of ``main`` as it is now; what did not change since the last one
            set it is not set again.
        main: The main text, in which each chart stands as ``#chart("id")``.

    Returns:
        The compiler of the last round.

    Raises:
        TypstError: Typst refused the text.
    """
    kept: set[str | None] = set()
    floating: set[str | None] = set()
    for last in (*(False for _ in range(MOST_ROUNDS)), True):
        current = compiler()
        things = [_Thing(*item) for item in json.loads(current.eval(_ASKED))]
        # before its text, at the top of the same page, or further off than the next page
        wrong = {thing.chart for thing in things if thing.page - thing.before != 1}
        kept |= wrong & floating
        wanted = (floating | (set() if last else _leave_gaps(things))) - kept
        if wanted == floating:
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


def _float(main: Path, charts: set[str | None]) -> None:
    """Change whether the charts with these ids float."""
    text = main.read_text(encoding="utf-8")
    for chart in charts:
        call = f"chart({json.dumps(chart, ensure_ascii=False)}"
        fixed, free = f"#{call})", f"#{call}, float: true)"
        text = text.replace(free, fixed) if free in text else text.replace(fixed, free)
    main.write_text(text, encoding="utf-8")
