"""Pictures of a report: from files beside the study, from attachments, from data addresses."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from perfkit.core.errors import ReportError
from perfkit.core.files import Json
from perfkit.core.pictures import is_picture
from perfkit.reporting.document.html_tables import UnprintableError

MIMES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
}
UNDESCRIBED = "{}; its author gave no description."
"""The alt text of a picture without one: a machine's check is content, and a reader is told."""

ENDINGS = {mime: ending for ending, mime in reversed(MIMES.items())}


@dataclass(frozen=True)
class Pictures:
    """Reads the pictures of one source by the addresses written in its Markdown.

    Attributes:
        origin: The source, for errors.
        folders: Where relative addresses are looked up, in order.
        attachments: A notebook cell's attachments.
    """

    origin: str
    folders: tuple[Path, ...]
    attachments: dict[str, Json] = field(default_factory=dict)

    def __call__(self, address: str) -> tuple[bytes, str]:
        """Bytes and mime type; ReportError for what is not there or lies on another machine."""
        if address.startswith("attachment:"):
            return self._attached(unquote(address.removeprefix("attachment:")))
        if address.startswith("data:"):
            head, _, body = address.removeprefix("data:").partition(",")
            return decode(body, head.partition(";")[0], self.origin)
        if "://" in address:
            raise UnprintableError(f"the picture {address} (on another machine)")
        return self._from_file(unquote(address))

    def _attached(self, name: str) -> tuple[bytes, str]:
        for mime, body in self.attachments.get(name, {}).items():
            return decode(body, mime, self.origin)
        raise ReportError(f"{self.origin}: no picture {name!r} is attached to this cell")

    def _from_file(self, name: str) -> tuple[bytes, str]:
        mime = MIMES.get(Path(name).suffix.lower())
        if mime is None:
            raise ReportError(
                f"{self.origin}: {name}: a picture is one of {', '.join(sorted(MIMES))}"
            )
        for folder in self.folders:
            if (folder / name).is_file():
                return checked((folder / name).read_bytes(), mime, f"{self.origin}: {name}"), mime
        raise ReportError(f"{self.origin}: there is no picture {name} beside the study")


def decode(body: str | list[str], mime: str, origin: str) -> tuple[bytes, str]:
    """A picture as notebooks carry it: SVG as text, all else as base64."""
    text = body if isinstance(body, str) else "".join(body)
    if mime not in ENDINGS:
        raise ReportError(f"{origin}: a picture of the type {mime!r} cannot be printed")
    if mime == "image/svg+xml" and text.lstrip().startswith("<"):
        return checked(text.encode(), mime, origin), mime
    try:
        return checked(base64.b64decode(text, validate=False), mime, origin), mime
    except binascii.Error as problem:
        raise ReportError(f"{origin}: a picture is damaged: {problem}") from problem


def checked(data: bytes, mime: str, origin: str) -> bytes:
    """The picture; ReportError where its first bytes are not those of its type."""
    if is_picture(data, mime):
        return data
    raise ReportError(f"{origin}: this is not a picture of the type {mime}")
