"""Which files and folders are taken: what was named, and what lies in a folder or archive."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.archives import opened
from perfkit.core.places import user_path
from perfkit.sources import is_folder_of_evidence
from perfkit.study.survey import candidates, may_be_evidence


@dataclass(frozen=True)
class Place:
    """A file, or the folder of one run, that is to be taken.

    Attributes:
        path: Where it lies; it may lead into an archive.
        root: The folder from which evidence is named.
        name: What it is called in the store.
        problem: Why it cannot be looked at; None where it can.
    """

    path: str
    root: str
    name: str
    problem: str | None = None


def places_of(paths: Sequence[Path]) -> list[Place]:
    """Each file, and each folder that is one piece of evidence, in order; each once.

    Raises ParseError for an archive that is damaged or refused.
    """
    found: dict[str, Place] = {}
    for path in paths:
        inside = opened(path)
        is_one = not inside.is_dir() or is_folder_of_evidence(inside)
        root = _known(inside).parent if is_one else _known(inside)
        for item, problem in candidates(inside, set()):
            own = _known(item)
            if problem or may_be_evidence(item, given=is_one):
                name = os.path.relpath(own, root)
                found.setdefault(str(own), Place(str(own), str(root), name, problem))
    return list(found.values())


def _known(path: Path) -> Path:
    return user_path(path.resolve())
