"""What a notebook cell yields: figures, tables, statements, listings (verdicts: ``verdict``).

Each has a stable id, knows its lineage, records the strings it prints with their rounding, shows
itself in JupyterLab, and travels in the executed notebook as a mime type of ours, from which the
exporters make PDF and HTML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, cast

from perfkit.core import cautions as words
from perfkit.core.cautions import Caution
from perfkit.core.errors import ReportError
from perfkit.core.evidence import Lineage, marked, sha256_bytes
from perfkit.core.files import Json
from perfkit.core.lineage import step
from perfkit.core.plain_text import as_html, plain, plain_lines
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.units import Format, Printed

if TYPE_CHECKING:
    from perfkit.core.keys import Place

MIME = {
    kind: f"application/vnd.perfkit.{kind}.v1+json"
    for kind in ("figure", "table", "statement", "verdict", "listing", "findings", "front")
}
WORDS_MIME = "application/vnd.perfkit.words.v1+json"
"""The words below a chart, for JupyterLab: a report has them from the figure itself."""
REPORT_ENDINGS = (".ipynb", ".pdf", ".html")
"""The files of a report: the executed notebook, the document, the page."""

PLOTLY_MIME = "application/vnd.plotly.v1+json"
PlotlyJson: TypeAlias = dict[str, Any]
"""A chart as Plotly's own JSON: data and layout."""

PLOTLY_CONFIG = {
    # plotly.js 4 puts an upload button ("Share chart...") into every chart unless told not to
    "showSendToCloud": False,
    "displaylogo": False,
    "responsive": True,
}


def shown_as(mime: str, notebook: Mapping[str, Any]) -> Iterator[Any]:
    """What the cells of an executed notebook show in this form, in order, hidden ones too."""
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            if mime in output.get("data", {}):
                yield output["data"][mime]


_ID = re.compile(r"^[a-z][a-z0-9-]*$")


def check_id(value_id: str) -> str:
    """The id itself; ReportError unless it is lower-case words joined by hyphens."""
    if not _ID.match(value_id):
        raise ReportError(
            f"id {value_id!r}: use lower-case letters, digits and hyphens, such as 'peak-iops'"
        )
    return value_id


class _OfContent:
    """The field ``lineage`` of a value: it belongs to the content whose hash its last step holds.

    A value with other content (``replace(table, rows=...)``, a chart that was changed in place) is
    not traceable. The hash is computed at each access, as a chart can change at any time. This
    guards against accidents, not against forgery.
    """

    def __get__(self, value: Value | None, _: type) -> Lineage:
        if value is None:
            return Lineage()  # the field's default
        given: Lineage = vars(value)["_lineage"]
        # what has no step needs no hash
        return given.of(value.kind, value.content_hash()) if given.steps else given

    def __set__(self, value: Value, lineage: Lineage) -> None:
        vars(value)["_lineage"] = lineage


OF_CONTENT: Any = _OfContent()


class Value:
    """What figures, tables, statements and verdicts share.

    ``cautions`` is None until ``@step`` fills in those of the data that the value is made of.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]  # every value is a dataclass
    kind: str
    id: str
    lineage: Lineage
    cautions: tuple[Caution, ...] | None

    def _caution_content(self) -> dict[str, object]:
        """The cautions as part of what is shown; empty without any."""
        return {"cautions": [item.record() for item in self.cautions]} if self.cautions else {}

    @property
    def caution(self) -> str:
        """The cautions in words, as printed beside the value; empty without any."""
        return words.sentence(self.cautions or ())

    def content(self) -> dict[str, object]:
        """What is shown."""
        raise NotImplementedError

    def _portable(self) -> dict[str, object]:
        return self.content()

    def content_hash(self) -> str:
        """SHA-256 of what is shown (without the lineage)."""
        return _hash(self._portable())

    def record(self) -> dict[str, object]:
        """The JSON form that travels in the notebook: the content, its hash and the lineage."""
        content = self._portable()
        digest = _hash(content)
        given: Lineage = vars(self)["_lineage"]
        return {
            "kind": self.kind,
            "id": self.id,
            **content,
            "sha256": digest,
            "lineage": given.of(self.kind, digest).record(),
        }

    def _with_cautions(self, text: str) -> str:
        return f"{text} {self.caution}".rstrip()

    def renamed(self, value_id: str) -> Self:
        """The same value under another id (ids are unique in a report)."""
        return replace(self, id=check_id(value_id))


def _hash(content: dict[str, object]) -> str:
    return sha256_bytes(canonical_json(content).encode())


class _Captioned(Value):
    def captioned(self, caption: str) -> Self:
        """The same figure or table with another caption."""
        return cast("Self", _captioned(self, caption=caption))


@dataclass(frozen=True, eq=False)
class Figure(_Captioned):
    """A Plotly figure with its caption, the text for those who cannot see it, and what it prints.

    ``width_mm`` and ``height_mm`` are its size on paper; ``wide`` puts it on a landscape page.
    """

    id: str
    plotly: Any
    caption: str
    alt: str
    height_mm: float = 88.0
    wide: bool = False
    printed: tuple[Printed, ...] = ()
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "figure"

    def content(self) -> dict[str, object]:
        """What is shown."""
        return {
            "caption": self.caption,
            "alt": self.alt,
            "height_mm": self.height_mm,
            "wide": self.wide,
            "printed": [item.record() for item in self.printed],
            "plotly": self.plotly.to_plotly_json()
            if not isinstance(self.plotly, dict)
            else self.plotly,
            **self._caution_content(),
        }

    def chart(self) -> PlotlyJson:
        """The chart as JSON, as plotly writes it."""
        import plotly.io

        found: PlotlyJson = json.loads(plotly.io.to_json(self.content()["plotly"], validate=False))
        return found

    def _portable(self) -> dict[str, object]:
        return {**self.content(), "plotly": self.chart()}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        record: Json = self.record()
        chart = {**record.pop("plotly"), "config": PLOTLY_CONFIG}
        return {
            MIME["figure"]: record,
            PLOTLY_MIME: chart,
            "text/plain": f"Figure {self.id}: {self._words()}",
        }

    def _words(self) -> str:
        """What stands below the chart: caption, origin and cautions."""
        return plain(self._with_cautions(marked(self.caption, self.lineage.mark())))

    def bundles(self) -> tuple[dict[str, object], ...]:
        """What a cell shows: the chart, and below it its words.

        JupyterLab shows one form of an output, here the chart, which has no room for words.
        """
        shown = self._words()
        words = {"text/markdown": escape_markdown(shown), "text/plain": shown}
        return self._repr_mimebundle_(), {WORDS_MIME: {"id": self.id}, **words}

    def _ipython_display_(self) -> None:
        from IPython.display import display

        for bundle in self.bundles():
            display(bundle, raw=True)


@dataclass(frozen=True)
class Column:
    """One column of a printed table.

    ``format`` set: a number, aligned right, with the same decimals in every row (``in_column``
    makes them of significant digits). ``format`` None: text, aligned left.
    """

    key: str
    label: str
    format: Format | None = None

    def __post_init__(self) -> None:
        if self.format is not None and self.format.significant is not None:
            raise ReportError(f"column {self.label!r}: its format has decimals, not digits")

    @property
    def align(self) -> Literal["left", "right"]:
        """Numbers stand right, words left."""
        return "left" if self.format is None else "right"


@dataclass(frozen=True, eq=False)
class Table(_Captioned):
    """A table for print: columns with their formats, and rows of raw values in column order.

    ``footer_rows`` counts the last rows that stand under a rule (sum, difference).
    ``wide`` puts it on a landscape page; ``note`` stands below it.
    ``grouped`` counts the first columns in which print leaves out a name that the row above has.
    ``detail`` says that another table tells what matters: this one is attached, not printed.
    ``places`` says of each row where it stands in a source (``keys.place_of``); empty: not known.
    """

    id: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str
    note: str | None = None
    footer_rows: int = 0
    wide: bool = False
    grouped: int = 0
    detail: bool = False
    places: tuple[Place, ...] = ()
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "table"

    def __post_init__(self) -> None:
        if self.places and len(self.places) != len(self.rows):
            raise ReportError(
                f"table {self.id!r}: {len(self.rows)} rows, {len(self.places)} places"
            )

    def attached(self) -> Self:
        """The same table, attached to a report and not printed."""
        return cast("Self", _attached(self))

    def cells(self) -> list[list[Printed]]:
        """Every cell as printed, with its value and rounding."""
        return [
            [_cell(column, value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def content(self) -> dict[str, object]:
        """What is shown."""
        return {
            "caption": self.caption,
            "note": self.note,
            "footer_rows": self.footer_rows,
            "wide": self.wide,
            "grouped": self.grouped,
            "detail": self.detail,
            "columns": [
                {
                    "key": column.key,
                    "label": column.label,
                    "align": column.align,
                    "unit": column.format.unit if column.format else None,
                    "rounding": column.format.rounding if column.format else None,
                }
                for column in self.columns
            ],
            "rows": [[cell.text for cell in row] for row in self.cells()],
            "values": [[cell.value for cell in row] for row in self.cells()],
            **({"places": [list(place) for place in self.places]} if self.places else {}),
            **self._caution_content(),
        }

    def _repr_html_(self) -> str:
        return table_html(self)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        return {
            MIME["table"]: self.record(),
            "text/html": self._repr_html_(),
            "text/plain": plain(
                self._with_cautions(f"Table {self.id}: {marked(self.caption, self.lineage.mark())}")
            ),
        }


def _cell(column: Column, value: Any) -> Printed:
    if column.format is None:
        return Printed("–" if value is None else str(value), None, "", "text")
    if isinstance(value, str):  # a word in a column of numbers: "not reached", "not judged"
        return Printed(value, None, column.format.unit, "text")
    number = column.format.number(value)
    if value and value > 0 and not column.format.sign and not number.strip("0."):
        number = f"< {number[:-1]}1"  # a little is not nothing
    shown = column.format.show(value)
    return Printed(number, shown.value, column.format.unit, column.format.rounding)


def table_html(table: Table) -> str:
    """A table as HTML: caption, header row, aligned cells; no script, no style."""
    head = "".join(
        f'<th scope="col" style="text-align:{column.align}">{as_html(column.label)}</th>'
        for column in table.columns
    )
    first_footer = len(table.rows) - table.footer_rows
    body = []
    for number, row in enumerate(table.cells()):
        cells = "".join(
            f'<td style="text-align:{column.align}">{as_html(cell.text)}</td>'
            for cell, column in zip(row, table.columns, strict=True)
        )
        mark = ' class="footer"' if number >= first_footer else ""
        body.append(f"<tr{mark}>{cells}</tr>")
    below = " ".join(filter(None, [table.note, table.caution]))
    note = f'<p class="note">{as_html(below)}</p>' if below else ""
    return (
        f'<table class="perfkit" data-id="{as_html(table.id)}">'
        f"<caption>{as_html(marked(table.caption, table.lineage.mark()))}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{note}"
    )


@dataclass(frozen=True, eq=False)
class Statement(Value):
    """A sentence made of numbers: each with the value behind it and how it was rounded."""

    id: str
    text: str
    printed: tuple[Printed, ...] = ()
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "statement"

    @property
    def caution(self) -> str:
        """The cautions in words, without those that the sentence says itself."""
        return words.sentence(words.unsaid(self.cautions or (), self.text))

    def content(self) -> dict[str, object]:
        """What is shown."""
        printed = [item.record() for item in self.printed]
        return {"text": self.text, "printed": printed, **self._caution_content()}

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        shown = plain(self._with_cautions(self.text + self.lineage.mark()))
        return {
            MIME["statement"]: self.record(),
            "text/markdown": escape_markdown(shown),
            "text/plain": shown,
        }


@step(version=1, name="table.attached")
def _attached(table: Value) -> Value:
    return replace(table, detail=True)


@step(version=1, name="value.captioned")
def _captioned(value: Value, *, caption: str) -> Value:
    return replace(value, caption=caption)


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~$&-]|:(?=//))", r"\\\1", plain(text))


def say(value_id: str, sentence: str, **numbers: Printed | str) -> Statement:
    """A statement from a sentence with ``{name}`` places and what is printed in them.

    Numbers are ``Printed``; words (a system's name, a unit in words) may be plain text. A digit
    in the sentence itself is refused: numbers come from frames, never from a typed sentence.
    """
    bare = re.sub(r"\{\w+\}", "", sentence)
    if re.search(r"\d", bare):
        raise ReportError(
            f"statement {value_id!r}: a number is typed into the sentence {sentence!r}"
        )
    texts = {key: item if isinstance(item, str) else item.text for key, item in numbers.items()}
    printed = tuple(item for item in numbers.values() if isinstance(item, Printed))
    return Statement(check_id(value_id), sentence.format(**texts), printed)


@dataclass(frozen=True, eq=False)
class Listing(Value):
    """A text as it stands in the evidence; a report has it in an appendix.

    Attributes:
        id: Its name in the report.
        title: What it is.
        place: The file that it is, as the evidence names it.
        text: The text.
        note: What is to be said of it, such as that others are alike.
        language: For the colours of its words; None: none.
    """

    id: str
    title: str
    place: str
    text: str
    note: str | None = None
    language: str | None = None
    lineage: Lineage = OF_CONTENT
    cautions: tuple[Caution, ...] | None = None
    kind = "listing"

    def content(self) -> dict[str, object]:
        """What is shown."""
        names = ("title", "place", "text", "note", "language")
        return {name: getattr(self, name) for name in names} | self._caution_content()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        text = plain_lines(self.text)
        about = plain(" ".join(filter(None, (f"{self.title}: {self.place}.", self.note))))
        # a fence longer than any in the text
        inside = (len(line) for line in text.split("\n") if set(line) == {"`"})
        fence = "`" * max(3, 1 + max(inside, default=0))
        return {
            MIME["listing"]: self.record(),
            "text/markdown": f"{escape_markdown(about)}\n\n{fence}\n{text}\n{fence}",
            "text/plain": f"{about}\n{text}",
        }
