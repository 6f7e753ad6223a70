"""What keeps somebody from reading a page: axe's findings, messages in the console, words cut off.

``python tests/pages.py REPORT.html ...`` checks any pages at every width, light and dark.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import time
from pathlib import Path

from perfkit.reporting.write.chrome import Page

WIDTHS = (1400, 900, 420)
THEMES = ("light", "dark")
DRAWN_S = 40.0
"""How long a page gets to draw its charts."""

_SERIOUS = (
    "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations"
    ".filter(v => ['serious', 'critical'].includes(v.impact))"
    ".map(v => `${v.id} (${v.nodes.length}): ${v.nodes[0].html.slice(0, 200)}`))"
)


_CUT = """[...document.querySelectorAll('.chart svg text')].filter(text => {
  const box = text.closest('svg.main-svg')?.getBoundingClientRect();
  const own = text.getBoundingClientRect();
  return box && box.width && own.width && (own.left < box.left - 1 || own.right > box.right + 1
    || own.top < box.top - 1 || own.bottom > box.bottom + 1);
}).map(text => `cut off in a chart: ${text.textContent}`)"""
"""Words of charts that reach beyond the drawing's own box, where the browser cuts them off."""


def shown(page: Page, file: Path, *, width: int = 1280, theme: str = "light") -> None:
    """Open a file at a width and in a theme, and wait until its charts are drawn."""
    sized(page, width, theme)
    page.open(file.as_uri())
    until(page, "document.documentElement.dataset.drawn === 'all'", DRAWN_S)


def sized(page: Page, width: int, theme: str) -> None:
    """Show what is opened next at a width and in a theme."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    page.send("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": theme}
    page.send("Emulation.setEmulatedMedia", {"features": [scheme]})


def until(page: Page, expression: str, seconds: float = 5.0) -> None:
    """Wait until an expression of the page is true; AssertionError when it is not in time.

    The page waits by itself, so that no question and answer goes to and fro.
    """
    asked = (
        "new Promise(done => { const end = Date.now() + %d; const look = () => {"
        "if (%s) done(true); else if (Date.now() > end) done(false);"
        "else setTimeout(look, 20); }; look(); })"
    )
    held = page.evaluate(asked % (seconds * 1000, expression), deadline_s=seconds + 10)
    assert held, f"not true within {seconds:g} s: {expression}"


def problems(page: Page, width: int) -> list[str]:
    """What is wrong with the page that is shown; ``page`` has its log enabled."""
    found = []
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > width:
        found.append(f"{wide} px wide")
    for event in page.events:
        if event["method"] == "Runtime.exceptionThrown":
            found.append(str(event["params"]["exceptionDetails"].get("exception", {})))
        entry = event["params"].get("entry", {}) if event["method"] == "Log.entryAdded" else {}
        if entry.get("level") in {"error", "warning"}:
            found.append(f"console: {entry['text']}")
    if not page.evaluate("'axe' in window"):
        place = Path(importlib.util.find_spec("axe_core_python").origin).parent
        page.evaluate((place / "axe.min.js").read_text(encoding="utf-8") + ";0")
    return [*found, *page.evaluate(_CUT), *page.evaluate(_SERIOUS, deadline_s=120)]


def main(files: list[str]) -> int:
    """Check pages; 1 if there is something to mend."""
    bad = False
    with Page() as page:
        page.send("Log.enable")
        for file, width, theme in itertools.product(map(Path, files), WIDTHS, THEMES):
            began = time.monotonic()
            shown(page, file.resolve(), width=width, theme=theme)
            found = problems(page, width)
            bad = bad or bool(found)
            took = time.monotonic() - began
            print(f"{file.name} {width} px {theme}: {'; '.join(found) or 'nothing'} ({took:.0f} s)")
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
