"""The files and devices that a tool works on, and the names by which it is given them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from perfkit.core.errors import RunError

LINK = "target"
"""The subfolder of a point's folder that represents the target's while a tool runs.

There the target's name is a link to the descriptor that perfkit holds. So no file of a result,
whether written by perfkit or the tool, contains a path of this machine; and the command can be run
again by hand, beside a link of that name to a directory with such a file.
"""


@dataclass(frozen=True)
class Place:
    """Where a file of a target is, or a device: in a folder.

    ``hosts`` are the load generators' names and ports, ``files`` the path of each one's file;
    without hosts it is this one, and ``name`` the file. ``held`` is the path to a descriptor that
    perfkit holds; None: the tool is given the name. ``files`` may lead to descriptors, which exist
    only during the sweep; ``names`` are the hosts' files as the kept job files name them. ``link``
    is the subfolder that stands for the folder while the tool runs. ``size`` is in bytes.
    """

    folder: Path
    name: str
    hosts: tuple[tuple[str, int], ...] = ()
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    held: str | None = None
    link: str = LINK
    size: int = 0

    def file(self, host: int = 0) -> str:
        """The file as a command names it: from the point's folder, or on the n-th host."""
        return self.files[host] if self.hosts else f"{self.link}/{self.name}"

    @property
    def is_held(self) -> bool:
        """Whether the tool is given a descriptor everywhere, and no name."""
        return bool(self.held) or len(self.given) == len(self.hosts) > 0

    @property
    def given(self) -> list[dict[str, str]]:
        """Which path the tool got for which name, one for each host."""
        return [
            {"host": f"{host}:{port}", "name": name, "path": path}
            for (host, port), name, path in zip(self.hosts, self.names, self.files, strict=True)
            if name != path
        ]


@dataclass(frozen=True)
class Places:
    """What a tool works on: the files of each target of the load, and that of the load beside."""

    load: tuple[tuple[Place, ...], ...]
    background: Place | None = None

    @classmethod
    def of(cls, place: Place) -> Places:
        """One file of one target."""
        return cls(((place,),))

    @property
    def every(self) -> tuple[Place, ...]:
        """All of them."""
        found = tuple(place for files in self.load for place in files)
        return (*found, self.background) if self.background else found

    @property
    def hosts(self) -> tuple[tuple[str, int], ...]:
        """The load generators' names and ports; none: this host."""
        return self.load[0][0].hosts

    def file(self) -> str:
        """The one file of a tool that takes no more."""
        return self.load[0][0].file()


@contextlib.contextmanager
def linked(folder: Path, place: Place) -> Iterator[None]:
    """The place as the tool finds it in a folder, while it runs there; of hosts, nothing."""
    if place.hosts:
        yield
        return
    try:
        place.folder.stat()
    except OSError as problem:
        raise RunError(f"target {place.folder}: {problem.strerror}") from problem
    inside = folder / place.link
    inside.mkdir()
    link = inside / place.name
    link.symlink_to(place.held or place.folder.resolve() / place.name)
    try:
        yield
    finally:
        link.unlink()
        inside.rmdir()


def keep_names(files: Mapping[str, str], places: Places, folder: Path) -> None:
    """Replace the paths of the hosts' descriptors in the job files by the files' names."""
    for host, (name, text) in enumerate(files.items()):
        names = {place.files[host]: place.names[host] for place in places.every}
        paths = "|".join(map(re.escape, names))
        parts = re.split(rf"(?<=[=:])({paths})(?=[:\n])", text)
        (folder / name).write_text("".join(names.get(p, p) for p in parts), encoding="utf-8")
