"""An executed notebook without the names of hosts, serial numbers and addresses."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from perfkit.core.anonymise import NOTES_VARIABLE, Names
from perfkit.core.values import MIME, PLOTLY_MIME
from perfkit.reporting.document.outputs import content_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

_HASHED = ("figure", "table", "statement", "verdict", "findings")


class Hiding:
    """One report's names: noted while its notebook runs, replaced in what it leaves behind."""

    def __init__(self, notes: Path):
        self._notes = notes
        self.names: Names | None = None

    @property
    def environment(self) -> dict[str, str]:
        """What makes a kernel write down the names."""
        return {NOTES_VARIABLE: str(self._notes)}

    def rewrite(self, node: Any) -> Any:
        """The notebook with every text replaced; values are hashed anew over what they show now.

        The hashes of evidence and steps stay: they are of the files and tables as they were.
        """
        from perfkit.reporting.execute.quick_nbformat import nbformat

        names = self.names = Names.noted(self._notes)
        hidden = names.apply_json(json.loads(json.dumps(node)))
        for cell in hidden["cells"]:
            for output in cell.get("outputs", []):
                _hash_anew(output.get("data", {}))
        return nbformat.from_dict(hidden)

    def apply(self, text: str) -> str:
        """A text with the same words, for file names; the notebook must have run."""
        return self.names.apply(text) if self.names else text

    def told(self) -> str:
        """How many things of each kind were replaced, in words."""
        counts = self.names.counts() if self.names else {}
        plural = {kind: f"{kind}{'es' if kind.endswith('s') else 's'}" for kind in counts}
        said = [f"{n} {kind if n == 1 else plural[kind]}" for kind, n in counts.items()]
        return f"anonymised: {', '.join(said) or 'no name was found'}"


@contextlib.contextmanager
def hiding() -> Iterator[Hiding]:
    """A place for the names that a kernel's readers meet, while this runs."""
    with tempfile.TemporaryDirectory(prefix="perfkit-") as folder:
        yield Hiding(Path(folder) / "names")


def _hash_anew(data: dict[str, Any]) -> None:
    for kind in _HASHED:
        record = data.get(MIME[kind])
        if record is not None:
            chart = data.get(PLOTLY_MIME, {})
            more = {k: v for k, v in chart.items() if k != "config"} if kind == "figure" else None
            record["sha256"] = content_hash(record, more)
