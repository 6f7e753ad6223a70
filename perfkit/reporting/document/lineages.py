"""Lineages in an executed notebook: each evidence and each step once, however many values name it.

Hundreds of files stand behind every figure of a large report, and their record with each figure
would make the notebook many times as large. ``perfkit report`` puts the records into the notebook's
metadata by their SHA-256 while the notebook runs, and leaves the hashes in their places. A notebook
that JupyterLab ran has the records in their places; both are read here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar

from perfkit.core.errors import ReportError
from perfkit.core.evidence import Evidence, Lineage, Step, sha256_bytes
from perfkit.core.files import Json
from perfkit.core.recorded_arguments import canonical_json
from perfkit.core.values import MIME

if TYPE_CHECKING:
    Place = MutableMapping[str, Any]
    Given = Mapping[str, Any]

_T = TypeVar("_T", Evidence, Step)

NAME = "perfkit"
"""The key of perfkit's own in a notebook's metadata; under it, ``lineage``."""

_PARTS = ("evidence", "steps", "set_aside")


def store_of(metadata: Place) -> dict[str, object]:
    """The records in a notebook's metadata by their hash; there and empty afterwards if missing."""
    own = metadata.setdefault(NAME, {})
    found: Json = own.setdefault("lineage", {})
    return found


def take_out(data: Place, store: Place) -> None:
    """Move the records of the lineages in one output to the store; hashes stay in their place."""
    for mime in MIME.values():
        lineage = data.get(mime, {}).get("lineage")
        for part in _PARTS if lineage else ():
            if part in lineage:
                lineage[part] = [_put(item, store) for item in lineage[part]]


def _put(item: Any, store: Place) -> str:
    if isinstance(item, str):
        return item
    name = sha256_bytes(canonical_json(item).encode())
    store.setdefault(name, item)
    return name


class Lineages:
    """The lineages of a notebook's values, from the records beside them or in its metadata."""

    def __init__(self, metadata: Place):
        self._records: Place = metadata.get(NAME, {}).get("lineage", {})
        self._made: Json = {}

    def of(self, record: Given, origin: str) -> Lineage:
        """The lineage of one value's record.

        Raises ReportError where the metadata lack what it names: a cell was copied from another
        notebook, or the metadata were removed.
        """
        found = record["lineage"]
        where = f"{origin}: {record['kind']} {record['id']!r}"
        return Lineage(
            tuple(self._one(item, Evidence.from_record, where) for item in found["evidence"]),
            tuple(self._one(item, Step.from_record, where) for item in found["steps"]),
            traceable=bool(found["traceable"]),
            notes=tuple(found["notes"]),
            set_aside=tuple(
                self._one(item, Evidence.from_record, where) for item in found.get("set_aside", ())
            ),
        )

    def _one(self, item: Any, make: Callable[[Any], _T], where: str) -> _T:
        if not isinstance(item, str):
            return make(item)
        if item not in self._made:
            if item not in self._records:
                raise ReportError(
                    f"{where}: the notebook does not hold its lineage ({item[:16]}); "
                    "run the notebook again"
                )
            self._made[item] = make(self._records[item])
        made: _T = self._made[item]
        return made
