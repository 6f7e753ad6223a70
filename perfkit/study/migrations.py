"""Study files of older releases: what is changed in them before they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from perfkit.core.archives import opened
from perfkit.formats.yaml_file import FIRST, Change, Format, MigrationError, plain
from perfkit.sources import sample_stamp

ARCHIVE = ".tar.xz"


@dataclass(frozen=True, slots=True)
class Order:
    """What 0.1 was asked to generate."""

    by: str
    seed: int
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """What ``generated:`` says of it since."""
        return f"{self.by}, seed {self.seed}"


SHIPPED = (
    (Order("genio-ramp", 4784, {"runs": 12}), "tr-4784/generated"),
    (Order("ontap-qos", 4784), "tr-4784/generated-qos"),
    (Order("ranread-sweep", 300, {"repeats": 3}), "iris-a300/generated"),
    (Order("sas-workload", 550), "sas-ef550/generated.tar.xz"),
    (Order("slob-awr", 4819), "tr-4819/generated.tar.xz"),
)
"""What 0.1 generated for its own studies comes with perfkit, in data/studies."""


def generated_to_text(document: Any, path: Path) -> list[Change]:
    """0.1 wrote generated evidence anew: ``generated: {by:, seed:, options:, into:}``.

    perfkit has no generators any more. The files are read from the folder that 0.1 filled, or from
    the archive in its place, and ``generated`` names what wrote them.
    """
    entries = document.get("evidence")
    return [
        change
        for number, entry in enumerate(entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and isinstance(entry.get("generated"), dict)
        for change in _named(entry, ("evidence", number), path.parent)
    ]


def _named(entry: Any, place: tuple[str | int, ...], folder: Path) -> list[Change]:
    old = plain(entry["generated"])
    order = Order(str(old.get("by")), old.get("seed", 1), old.get("options") or {})
    into = str(old.get("into", "generated"))
    new = {"generated": order.text}
    held = folder / into
    if not held.is_dir():
        held = folder / f"{into}{ARCHIVE}"
        new["files"] = held.name + str(entry.get("files")).removeprefix(into)
    if not held.exists():
        raise MigrationError((*place, "generated"), _cure(order, into))
    stamp = sample_stamp.read(opened(held))
    if stamp is None or order != Order(stamp.sample, stamp.seed, stamp.options):
        told = f"{held.name!r} does not contain what {order.text} generated. {_cure(order, into)}"
        raise MigrationError((*place, "generated"), told)
    entry.update(new)
    return [Change((*place, name), value) for name, value in new.items()]


def _cure(order: Order, into: str) -> str:
    gone = f"perfkit {FIRST} generated these files; later releases have no generators. "
    shipped = next((place for known, place in SHIPPED if known == order), None)
    if shipped is None:
        return f"{gone}Put the folder {into!r} that it filled beside the study"
    name = into + (ARCHIVE if shipped.endswith(ARCHIVE) else "")
    return f"{gone}Copy data/studies/{shipped} of perfkit beside the study, as {name!r}"


FORMAT = Format(1, {0: generated_to_text})
