"""Archives that a program of the system unpacks: zstd's tars, and .7z.

perfkit needs none of these programs: without one the archive is refused, with the names of those
that would do.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from perfkit.core.errors import ParseError

ZSTD = ("zstd", "-dcq")
BSDTAR = ("bsdtar", "-cf", "-", "--format=pax")
SEVEN_ZIP = ("7zz", "7z", "7za", "7zr")

_SIZE = re.compile(r"^Size = (\d+)$", re.MULTILINE)
_SAID = 200
"""Characters of a program's complaint that are told."""


@contextlib.contextmanager
def zstd(archive: Path) -> Iterator[IO[bytes]]:
    """The plain bytes of a .zst; OSError where zstd finds it damaged."""
    if not shutil.which(ZSTD[0]):
        raise _without(archive, ZSTD[:1])
    with _output([*ZSTD, "--", str(archive)]) as data:
        yield data


@contextlib.contextmanager
def as_tar(archive: Path) -> Iterator[IO[bytes]]:
    """The members of a .7z as a tar, by bsdtar; OSError where it is damaged or encrypted.

    ParseError where no program for it is there.
    """
    if not shutil.which(BSDTAR[0]):
        raise _without(archive, (*SEVEN_ZIP[:2], BSDTAR[0]))
    with _output([*BSDTAR, f"@{archive.resolve()}"]) as data:
        yield data


@dataclass(frozen=True)
class SevenZip:
    """The program 7-Zip, by whatever name it is here."""

    program: str

    @classmethod
    def found(cls) -> SevenZip | None:
        """The one of this machine."""
        program = next(filter(shutil.which, SEVEN_ZIP), None)
        return cls(program) if program else None

    def sizes(self, archive: Path) -> list[int]:
        """The bytes of each member, as the archive says; OSError for a damaged or encrypted one."""
        listed = _run([self.program, "l", "-slt", "-ba", "-p", "--", str(archive)])
        return [int(size) for size in _SIZE.findall(listed)]

    def unpack(self, archive: Path, folder: Path) -> Iterator[tuple[str, Path]]:
        """Unpack to a folder; what is there then, with the names in the archive."""
        _run([self.program, "x", "-y", "-bd", "-p", f"-o{folder}", "--", str(archive)])
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                path = Path(place, name)
                yield path.relative_to(folder).as_posix(), path


def _without(archive: Path, programs: Sequence[str]) -> ParseError:
    return ParseError(
        archive,
        f"to unpack it one of these programs is needed, and none is here: {', '.join(programs)}. "
        "Install one, or unpack it and read the folder",
    )


def _run(command: Sequence[str]) -> str:
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise OSError(_complaint(command[0], done.stderr or done.stdout))
    return done.stdout


@contextlib.contextmanager
def _output(command: Sequence[str]) -> Iterator[IO[bytes]]:
    """What a program writes; it is ended where the caller reads no further."""
    with (
        tempfile.TemporaryFile("w+", errors="replace") as said,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said
        ) as process,
    ):
        if process.stdout is None:
            raise OSError(f"{command[0]} gives no output")
        try:
            yield process.stdout
        except BaseException:
            process.kill()
            raise
        if process.wait():
            said.seek(0)
            raise OSError(_complaint(command[0], said.read()))


def _complaint(program: str, said: str) -> str:
    words = [line.strip() for line in said.splitlines() if line.strip()]
    errors = (line for line in words if "rror" in line or "assword" in line)
    told = next(errors, words[-1] if words else "it failed without a word")
    # bsdtar says "(null)" of an encrypted member and of a damaged one
    told = told.removeprefix(f"{program}: ").replace("(null)", "damaged, or encrypted")
    return f"{program}: {told[:_SAID]}"
