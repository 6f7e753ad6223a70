"""What pages have in common: typeface, style, own scripts and Plotly's, in the page or beside."""

from __future__ import annotations

import base64
import functools
import hashlib
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from perfkit.core.files import own_folder, write_whole
from perfkit.core.plain_text import as_html
from perfkit.reporting.write.charts import plotly_script
from perfkit.showing.style import FONT_FAMILY

FACES = (("Regular", 400, "normal"), ("It", 400, "italic"), ("Semibold", 600, "normal"),
         ("Bold", 700, "normal"))  # fmt: skip
"""The faces of ``templates/web/fonts``: file name, CSS weight and slant."""

SCRIPTS = ("theme.js", "contents.js", "sources.js", "tables.js", "charts.js")
_LEVEL = 6
_NAME_DIGITS = 10


@dataclass(frozen=True)
class Common:
    """Elements for the head and for the end of a page, and where its scripts and styles may lie."""

    head: str
    scripts: str
    origins: str = ""


def embedded(*, charts: bool) -> Common:
    """Everything in the page itself; Plotly's script packed, and only where there are charts."""
    packed = f'<script type="text/plain" id="plotly">{packing().result()}</script>'
    return Common(
        f"<style>{_style()}</style>", f"{packed if charts else ''}<script>{_script()}</script>"
    )


def shared(folder: Path, address: str) -> Common:
    """The same in files that many pages share.

    A file is called by its content, so that a page of an earlier version keeps its own.

    Args:
        folder: Where the files are written, if they are not there.
        address: The folder as the page names it, "../assets".
    """
    folder.mkdir(parents=True, exist_ok=True)
    plotly = plotly_script().read_text(encoding="utf-8")
    address = as_html(quote(address))
    style = _keep(folder, ".css", _style())
    script = _keep(folder, ".js", f"{plotly}\n{_script()}")
    return Common(
        f'<link rel="stylesheet" href="{address}/{style}">',
        f'<script src="{address}/{script}"></script>',
        " 'self' file:",
    )


def _keep(folder: Path, ending: str, text: str) -> str:
    content = text.encode()
    name = f"perfkit-{hashlib.sha256(content).hexdigest()[:_NAME_DIGITS]}{ending}"
    if not (folder / name).is_file():
        write_whole(folder / name, content)
    return name


@functools.cache
def packing() -> Future[str]:
    """Plotly's script, packed in a thread of its own from the first call on: half a second."""

    def packed() -> str:
        return base64.b64encode(zlib.compress(plotly_script().read_bytes(), _LEVEL)).decode()

    return ThreadPoolExecutor(1).submit(packed)


def _script() -> str:
    web = own_folder("templates") / "web" / "script"
    return "\n".join((web / name).read_text(encoding="utf-8") for name in SCRIPTS)


def _style() -> str:
    web = own_folder("templates") / "web"
    style = []
    for name, weight, slant in FACES:
        font = base64.b64encode((web / "fonts" / f"{name}.woff2").read_bytes()).decode()
        style.append(
            f'@font-face{{font-family:"{FONT_FAMILY}";font-weight:{weight};font-style:{slant};'
            f'src:url("data:font/woff2;base64,{font}") format("woff2")}}'
        )
    return "\n".join([*style, (web / "style.css").read_text(encoding="utf-8")])
