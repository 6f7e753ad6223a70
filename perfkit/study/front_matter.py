"""The report's front matter as a value: a notebook cell shows it, the exporters make the cover."""

from __future__ import annotations

import base64
import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit._version import __version__
from perfkit.core.errors import StudyError
from perfkit.core.pictures import is_picture
from perfkit.core.plain_text import as_html, plain
from perfkit.core.values import MIME

if TYPE_CHECKING:
    from perfkit.study.file import StudyModel

DATE_VARIABLE = "PERFKIT_REPORT_DATE"
"""How ``perfkit report --date`` reaches the notebook's kernel."""

_PICTURES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg"}


@dataclass(frozen=True)
class Front:
    """The front matter: everything of a report that is not a result."""

    content: Mapping[str, Any]

    def record(self) -> Mapping[str, Any]:
        """The JSON form that travels in the notebook."""
        return self.content

    def _repr_mimebundle_(self, **_: Any) -> dict[str, object]:
        lines = [self.content["title"], self.content["subtitle"] or "", self.content["date_text"]]
        shown = plain(" · ".join(line for line in lines if line))
        return {
            MIME["front"]: self.content,
            "text/html": f"<h1>{as_html(self.content['title'])}</h1><p>{as_html(shown)}</p>",
            "text/plain": shown,
        }


def front_of(path: Path, model: StudyModel) -> Front:
    """The front matter of a study; StudyError where a picture or section file is not there."""
    matter = model.report
    date = matter.date or report_date()
    content = matter.model_dump(
        mode="json", exclude={"partner", "logo", "date", "references", "version_history"}
    )
    return Front(
        {
            "kind": "front",
            **content,
            "date": date.isoformat(),
            "date_text": f"{date:%B %Y}",
            "partner": matter.partner
            and {"name": matter.partner.name, "logo": _picture(path, matter.partner.logo)},
            "logo": _picture(path, matter.logo),
            "references": [item.model_dump() for item in matter.references],
            "version_history": [
                {**item.model_dump(), "date": item.date or f"{date:%B %Y}"}
                for item in matter.version_history
            ],
            "sections": {
                "before": [_section(path, item) for item in model.sections.before],
                "after": [_section(path, item) for item in model.sections.after],
            },
            "appendix": [
                {
                    "title": item.title,
                    "language": item.language,
                    "place": item.file.as_posix(),
                    "text": _text(path, item.file),
                }
                for item in model.appendix
            ],
            "generated_note": f"Made by perfkit {__version__}: every number in the tables, figures "
            "and computed sentences comes from the evidence listed in the appendix.",
        }
    )


def report_date() -> dt.date:
    """The day of the report: as asked for, else SOURCE_DATE_EPOCH, else today.

    Raises StudyError when what was asked for is not a date.
    """
    asked = os.environ.get(DATE_VARIABLE)
    if asked:
        return parse_date(asked)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch and epoch.isdecimal():
        return dt.datetime.fromtimestamp(int(epoch), tz=dt.UTC).date()
    return dt.datetime.now(tz=dt.UTC).astimezone().date()


def parse_date(text: str) -> dt.date:
    """A date written 2026-11-21; StudyError for anything else."""
    try:
        return dt.date.fromisoformat(text)
    except ValueError as problem:
        raise StudyError("date", f"{text!r} is not a date such as 2026-11-21") from problem


def _picture(study: Path, picture: Path | None) -> dict[str, str] | None:
    if picture is None:
        return None
    mime = _PICTURES.get(picture.suffix.lower())
    if mime is None:
        raise StudyError(study, f"{picture}: a picture is one of {', '.join(_PICTURES)}")
    data = _bytes(study, picture)
    if not is_picture(data, mime):
        raise StudyError(study, f"{picture}: this is not a picture of the type {mime}")
    return {"mime": mime, "base64": base64.b64encode(data).decode()}


def _section(study: Path, section: Path) -> dict[str, str]:
    return {"path": section.as_posix(), "markdown": _text(study, section)}


def _text(study: Path, file: Path) -> str:
    try:
        return _bytes(study, file).decode()
    except UnicodeDecodeError as problem:
        raise StudyError(study.parent / file, f"is not UTF-8 text: {problem}") from problem


def _bytes(study: Path, file: Path) -> bytes:
    try:
        return (study.parent / file).read_bytes()
    except OSError as problem:
        raise StudyError(study, f"{file}: {problem.strerror or problem}") from problem
