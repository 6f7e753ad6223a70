"""nbconvert exporters: an executed notebook to PDF (by Typst) and to one HTML page.

``jupyter nbconvert --to perfkit-pdf executed.ipynb``, or ``export_pdf`` from Python.
"""

from __future__ import annotations

import contextlib
import copy
import logging
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

from perfkit.reporting.write.web_parts import Common

from perfkit.reporting.execute.quick_nbformat import nbformat  # isort: skip - before nbconvert imports it

from nbconvert.exporters.templateexporter import TemplateExporter
from traitlets import Any as AnyTrait
from traitlets import Unicode, default

from perfkit.core.errors import PerfkitError
from perfkit.core.files import own_folder
from perfkit.core.values import PLOTLY_MIME, shown_as
from perfkit.reporting.document.assemble import Document, read_document
from perfkit.reporting.document.grids import TEXT_END_MM
from perfkit.reporting.write.charts import Chart, ChartPrinter
from perfkit.reporting.write.floats import Drawings
from perfkit.reporting.write.html import write_html
from perfkit.reporting.write.typeset import DATA, MAIN, Origins, typeset
from perfkit.reporting.write.typst_text import TypstParts, to_json, write_typst

TYPST_TEMPLATE = "report.typ"

Resources: TypeAlias = dict[str, Any]
"""What nbconvert hands from one of its parts to the next."""


@contextlib.contextmanager
def _told_at_once(log: logging.Logger) -> Iterator[None]:
    """Before the command nbconvert a mistake is its message: nbconvert would add a traceback."""
    try:
        yield
    except PerfkitError as problem:
        app = sys.modules.get("nbconvert.nbconvertapp")
        if app is None or not app.NbConvertApp.initialized():
            raise
        log.error(str(problem))  # noqa: TRY400 - the traceback says nothing to its user
        raise SystemExit(1) from None


class _ReportExporter(TemplateExporter):  # type: ignore[misc]
    """What both share: perfkit's templates, the document, remarks to the log."""

    document = AnyTrait(None, allow_none=True, help="The document, where it was read already")
    charts = AnyTrait(None, allow_none=True, help="A ChartPrinter that is already running")
    folder = AnyTrait(None, allow_none=True, help="Where pictures named in Markdown lie")

    @default("extra_template_basedirs")
    def _basedirs(self) -> list[str]:
        return [str(own_folder("templates"))]

    def _document(self, notebook: Any, resources: Resources) -> Document:
        if self.document is not None:
            known: Document = self.document
            return known
        notebook = self._prepared(notebook, resources)
        folder = self.folder or resources.get("metadata", {}).get("path") or "."
        name = resources.get("metadata", {}).get("name")
        document = read_document(notebook, Path(folder), name)
        for remark in document.remarks:
            self.log.warning(remark)
        return document

    def _prepared(self, notebook: Any, resources: Resources) -> Any:
        """The notebook after what its user has switched on: ``nbconvert --execute``, tags to hide.

        nbconvert's own way validates the whole notebook, charts and all, after each of its steps.
        """
        made, given = copy.deepcopy(notebook), self._init_resources(resources)
        for prepare in self._preprocessors:
            made, given = prepare(made, given)
        return made

    @contextlib.contextmanager
    def _printer(self) -> Iterator[ChartPrinter]:
        if self.charts is not None:
            yield self.charts
            return
        with ChartPrinter() as printer:
            yield printer

    def _fill(self, resources: Resources, values: Any) -> str:
        """The jinja template over ``resources.perfkit``: it needs nothing else of the notebook.

        nbconvert would copy the whole notebook, charts and all, so it gets an empty one.
        """
        done: list[Any] = self._preprocessors
        self._preprocessors: list[Any] = []
        try:
            text, _ = super().from_notebook_node(
                nbformat.v4.new_notebook(), {**resources, "perfkit": values}
            )
        finally:
            self._preprocessors = done
        return str(text)


class TechnicalReportExporter(_ReportExporter):
    """The technical report as PDF."""

    export_from_notebook = "Technical report (PDF)"
    output_mimetype = "application/pdf"
    template_name = Unicode("tr").tag(config=True, affects_template=True)
    template_extension = Unicode(".typ.j2").tag(config=True, affects_environment=True)
    file_extension = Unicode(".pdf").tag(config=True)

    def _files(self, parts: TypstParts) -> dict[str, bytes]:
        template = own_folder("templates") / "tr" / TYPST_TEMPLATE
        return {
            TYPST_TEMPLATE: template.read_bytes(),
            DATA: to_json(parts.data).encode(),
            **parts.files,
            **self._drawn(parts.charts),
        }

    def _drawn(self, charts: dict[str, Chart]) -> dict[str, bytes]:
        if not charts:
            return {}
        with self._printer() as printer:
            drawn = printer.print(list(charts.values()))
        return {path: svg.encode() for path, svg in zip(charts, drawn, strict=True)}

    def _drawings(self, parts: TypstParts) -> Drawings | None:
        if not parts.charts:
            return None
        end_mm = TEXT_END_MM[parts.data["front"]["paper"]]
        return Drawings(parts.charts, lambda chart: self._drawn({"x": chart})["x"], end_mm)

    def from_notebook_node(
        self, nb: Any, resources: Resources | None = None, **_: Any
    ) -> tuple[Any, Resources]:
        """The PDF's bytes; ReportError when a report cannot be made of the notebook."""
        given = dict(resources or {})
        with _told_at_once(self.log), contextlib.ExitStack() as stack:
            if self.charts is None and next(shown_as(PLOTLY_MIME, nb), None) is not None:
                # the browser starts while the text is written
                self.charts = stack.enter_context(ChartPrinter())
                stack.callback(setattr, self, "charts", None)
            document = self._document(nb, given)
            parts = write_typst(document)
            main = self._fill(given, parts)
            files = {MAIN: main.encode(), **self._files(parts)}
            where = _origins(main, parts, document)
            pdf = typeset(
                files,
                document.front.date,
                where,
                drawings=self._drawings(parts),
                spell=document.own,
                coded=not document.own,
            )
        return pdf, {**given, "output_extension": ".pdf"}


class WebReportExporter(_ReportExporter):
    """The report as one self-contained HTML page with interactive charts."""

    export_from_notebook = "Technical report (HTML)"
    output_mimetype = "text/html"
    template_name = Unicode("web").tag(config=True, affects_template=True)
    template_extension = Unicode(".html.j2").tag(config=True, affects_environment=True)
    file_extension = Unicode(".html").tag(config=True)
    common = AnyTrait(None, allow_none=True, help="What the page shares with others")

    def from_notebook_node(
        self, nb: Any, resources: Resources | None = None, **_: Any
    ) -> tuple[Any, Resources]:
        """The page; ReportError when a report cannot be made of the notebook."""
        given = dict(resources or {})
        with _told_at_once(self.log):
            page = write_html(self._document(nb, given), self.common)
        return self._fill(given, page), {**given, "output_extension": ".html"}


def _origins(main: str, parts: TypstParts, document: Document) -> Origins:
    """Line of the main text -> origin: the body starts below the template's first lines."""
    before = main[: main.index(parts.body)].count("\n") if parts.body else 0
    lines = {before + number: origin for number, origin in enumerate(parts.origins, 1)}

    def holder(sign: str) -> str | None:
        for placed in (*document.abstract, *document.blocks):
            # neither is part of a block's repr: charts would make it megabytes long
            parts = (getattr(placed.block, name, "") for name in ("record", "chart"))
            if any(sign in str(part) for part in (placed.block, *parts)):
                return placed.origin
        return "the front matter" if sign in str(document.front) else None

    return Origins(lines, holder)


def export_both(
    notebook: Any,
    *,
    resources_dir: Path,
    charts: ChartPrinter,
    warn: Callable[[str], None],
    name: str | None = None,
    common: Common | None = None,
) -> tuple[bytes, str]:
    """PDF and HTML page of an executed notebook; what was left out of them goes to ``warn``.

    The page is written while Chrome draws and Typst sets, which leave Python idle; ``common`` is
    what it shares with others. Errors as ``export_pdf``.
    """
    document = read_document(notebook, resources_dir, name)
    for remark in document.remarks:
        warn(remark)
    web = WebReportExporter(document=document, common=common)
    with ThreadPoolExecutor(1) as beside:
        page = beside.submit(web.from_notebook_node, notebook)
        paper = TechnicalReportExporter(document=document, charts=charts)
        pdf, _ = paper.from_notebook_node(notebook)
        return bytes(pdf), str(page.result()[0])


def export_pdf(notebook: Any, *, charts: ChartPrinter | None = None) -> bytes:
    """The PDF of an executed notebook, an nbformat node; its pictures lie in the working directory.

    ``charts`` is a printer that is already running, to save the browser's start.

    Raises ReportError and MissingPartError (charts and no browser).
    """
    pdf, _ = TechnicalReportExporter(charts=charts).from_notebook_node(notebook)
    return bytes(pdf)


def export_html(notebook: Any) -> str:
    """The HTML page of an executed notebook; errors as ``export_pdf``."""
    page, _ = WebReportExporter().from_notebook_node(notebook)
    return str(page)
