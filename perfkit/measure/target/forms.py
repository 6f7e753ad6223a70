"""What is known and proved of perfkit's own file, in the forms in which it is kept and sent.

Only type checkers read this module: hosts with older Pythons get the others without it.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict


class Abilities(TypedDict):
    """What a file system tells of a file: its extents, its holes, and why not its extents."""

    extents: bool
    holes: bool
    why: str | None


class IdentityRecord(TypedDict):
    """The part of an open file's identity that a later call can compare with."""

    handle: str | None
    device: str
    filesystem_id: Any


class OwnerRecord(TypedDict):
    """``owner.json``, which lies beside the file.

    ``removing`` is in no file: it is the name that the file had before a removal was cut short.
    """

    format: int
    made_by: str
    file: str
    file_bytes: int
    boot: str | None
    identity: IdentityRecord
    directory: IdentityRecord
    token_sha256: str
    tells: Abilities
    laid_out: bool
    removing: NotRequired[str]


class Proof(TypedDict):
    """What is proved of the file just now, and what cannot be told."""

    handle: str | None
    proved: list[str]
    not_told: dict[str, str]
    check_s: float


class OwnFacts(TypedDict):
    """What the file is, for a run's record."""

    directory: str
    handle: str | None
    filesystem: str | None
    mode: str
    token_bytes: int
    reused: bool


class Found(TypedDict):
    """A file of an earlier call that is provably perfkit's."""

    directory: str
    file: str
    size: int
    laid_out: bool


class Taken(TypedDict):
    """The file that a session holds; ``token`` is the hash of its own."""

    laid_out: bool
    path: str
    given: str | None
    token: str
    facts: OwnFacts
