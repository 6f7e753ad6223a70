"""Evidence of known content, written as the tools themselves write it: what readers are held to.

A forge works from a seed: the same seed gives the same bytes everywhere. It imports nothing of
perfkit, for it is the readers' oracle. The stamp in each folder tells its files from measurements.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

STAMP = ".perfkit-sample.json"


@dataclass(frozen=True)
class Forge:
    """A forge: "module:function", called as ``function(folder, seed, **options)``.

    ``version`` counts up whenever the same seed gives other bytes than before.
    """

    make: str
    version: int = 1


FORGES = {
    "genio-ramp": Forge("forges.genio:ramp"),
    "ontap-qos": Forge("forges.ontap_qos:write"),
    "ranread-sweep": Forge("forges.ranread:write"),
    "sas-workload": Forge("forges.sas_workload:make"),
    "slob-awr": Forge("forges.slob_awr:write"),
}
"""The forges that fill a folder, by the name in their stamps."""


def make(
    name: str, folder: Path, *, seed: int = 1, options: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """Fill a new folder and stamp it; the SHA-256 of each file by its name below the folder."""
    forge = FORGES[name]
    module, _, function = forge.make.partition(":")
    folder.mkdir(parents=True)
    getattr(importlib.import_module(module), function)(folder, seed, **(options or {}))
    return stamp(folder, name, seed=seed, version=forge.version, options=options)


def stamp(
    folder: Path,
    name: str,
    *,
    seed: int = 1,
    version: int = 1,
    options: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Stamp a folder as it is: name, seed and options of the forge, and the hash of every file."""
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    record = {
        "format": "perfkit-sample-1", "sample": name, "version": version, "seed": seed,
        "options": dict(options or {}), "files": files,
    }  # fmt: skip
    (folder / STAMP).write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    return files
