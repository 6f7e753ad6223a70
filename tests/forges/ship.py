"""What the forges make for the studies: written again by ``make evidence``."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from places import ROOT

from forges import make

STUDIES = ROOT / "data/studies"


@dataclass(frozen=True)
class Shipped:
    """Evidence of a study: its place (a folder, or an archive), and how it is forged."""

    place: str
    forge: str
    seed: int
    options: dict[str, Any] = field(default_factory=dict)


SHIPPED = (
    Shipped("iris-a300/generated", "ranread-sweep", 300, {"repeats": 3}),
    Shipped("sas-ef550/generated.tar.xz", "sas-workload", 550),
    Shipped("tr-4784/generated", "genio-ramp", 4784, {"runs": 12}),
    Shipped("tr-4784/generated-qos", "ontap-qos", 4784),
    Shipped("tr-4819/generated.tar.xz", "slob-awr", 4819),
)


def pack(folder: Path, archive: Path) -> None:
    """Pack a folder's files in order of name, without times and owners: the same files, the same
    archive.
    """
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            facts = tarfile.TarInfo(path.relative_to(folder).as_posix())
            facts.size = path.stat().st_size
            with path.open("rb") as file:
                tar.addfile(facts, file)


def put(place: Path, forge: str, *, seed: int, options: dict[str, Any] | None = None) -> None:
    """Forge a folder, or a .tar.xz of it, in place of what was there."""
    with tempfile.TemporaryDirectory() as aside:
        folder = Path(aside) / "made"
        make(forge, folder, seed=seed, options=options)
        if place.suffix:
            pack(folder, place)
        else:
            shutil.rmtree(place, ignore_errors=True)
            shutil.move(folder, place)


def small_tr_4819(folder: Path, points: int) -> Path:
    """TR-4819's generated study in a folder, with fewer than its fifteen load points."""
    shutil.copy(STUDIES / "tr-4819/generated.yml", folder)
    shutil.copytree(STUDIES / "tr-4819/sections", folder / "sections", dirs_exist_ok=True)
    put(folder / "generated.tar.xz", "slob-awr", seed=4819, options={"points": points})
    return folder / "generated.yml"


if __name__ == "__main__":
    for item in SHIPPED:
        put(STUDIES / item.place, item.forge, seed=item.seed, options=item.options)
