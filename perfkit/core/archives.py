"""A .zip, .tar or .7z is read as the folder it is: unpacked to a private folder while perfkit runs.

An archive comes from somebody else. Its members are files and folders below its own root, each
once, neither too many, too deep nor too large; otherwise the archive is refused as a whole, with
the name of the member. A .tar.zst is unpacked by zstd and a .7z by
bsdtar; without that program the archive is refused with its name.
"""

from __future__ import annotations

import atexit
import bz2
import contextlib
import gzip
import io
import lzma
import math
import shutil
import stat
import struct
import subprocess
import tarfile
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from perfkit.core.errors import ParseError
from perfkit.core.places import UNPACKED, archive_of
from perfkit.core.units import GIB, MIB

MOST_MEMBERS = 100_000
MOST_DEPTH = 32
"""Folders in each other, with the file."""

MOST_BYTES = 4 * GIB
"""All members of an archive, unpacked."""

_PIECE = MIB

_DAMAGED = (
    OSError, EOFError, ValueError, lzma.LZMAError, zlib.error, tarfile.TarError,
    zipfile.BadZipFile, struct.error, NotImplementedError, RuntimeError,
)  # fmt: skip
"""What the standard library raises for archives that are cut off, damaged, encrypted or unknown."""


ZSTD = ("zstd", "-dcq")
BSDTAR = ("bsdtar", "-cf", "-", "--format=pax")

_SAID = 200
"""Characters of a program's complaint that are told."""


@contextlib.contextmanager
def zstd(archive: Path) -> Iterator[IO[bytes]]:
    """The plain bytes of a .zst; OSError where zstd finds it damaged."""
    with _output(archive, [*ZSTD, "--", str(archive)]) as data:
        yield data


@contextlib.contextmanager
def as_tar(archive: Path) -> Iterator[IO[bytes]]:
    """The members of a .7z as a tar, by bsdtar; OSError where it is damaged or encrypted."""
    with _output(archive, [*BSDTAR, f"@{archive.resolve()}"]) as data:
        yield data


@contextlib.contextmanager
def _output(archive: Path, command: Sequence[str]) -> Iterator[IO[bytes]]:
    """What a program writes; it is ended where the caller reads no further."""
    if not shutil.which(command[0]):
        raise ParseError(
            archive,
            f"{command[0]} is needed to unpack it and is not installed; install it, or unpack the "
            "archive and read the folder",
        )
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


@dataclass(frozen=True)
class _Member:
    """A file or folder of an archive; ``open`` is None for what is neither."""

    name: str
    folder: bool
    open: Callable[[], IO[bytes]] | None
    encrypted: bool = False


def opened(path: Path | str) -> Path:
    """A path of evidence as a path on the disk: below an archive, where that was unpacked.

    ``runs.tar.xz`` is its folder and ``runs.tar.xz/fcp/t8.html`` a file in it; any other path is
    given back. An archive is unpacked once a process, and again where it changed.

    Raises ParseError for an archive that is damaged or refused, naming the archive and the member.
    """
    place = Path(path)
    for archive in (*reversed(place.parents), place):
        if is_archive(archive):
            rest = place.relative_to(archive)
            if ".." in rest.parts:
                raise ParseError(path, "leads out of the archive")
            return opened(_unpacked(archive) / rest)
    return place


def home_of(path: Path) -> Path:
    """A folder itself, resolved; of an archive, or a place in one, the folder with the archive."""
    place = opened(path).resolve()
    archive = archive_of(place)
    return archive.parent if archive else place


def plain_name(name: str) -> str:
    """The name of an archive as a folder would have it; any other as it is."""
    return next((name[: -len(end)] for end in _MEMBERS if name.lower().endswith(end)), name)


def is_archive(path: Path) -> bool:
    """Whether a path is a file that is read as a folder, by its name."""
    return path.name.lower().endswith(tuple(_MEMBERS)) and path.is_file()


def matches(folder: Path, pattern: str) -> Iterator[Path]:
    """The files and folders of a glob below a folder; it may lead into archives.

    A star stands for an archive's members too (``runs.zip/*``), and for its name (``*.zip/*``). A
    glob that begins at the root is taken from there.
    """
    if pattern.startswith("/"):
        folder, pattern = Path("/"), pattern.lstrip("/")
    parts = PurePosixPath(pattern).parts
    if not parts:
        yield folder
    for number, part in enumerate(parts, 1):
        if part.lower().endswith(tuple(_MEMBERS)):
            rest = "/".join(parts[number:])
            for found in folder.glob("/".join(parts[:number])):
                inner = opened(found)
                yield from matches(inner, rest) if rest else (inner,)
            return
    yield from folder.glob(pattern) if parts else ()


_FOLDERS: dict[tuple[Path, int, int, int], Path] = {}
"""Where this process unpacked an archive, by path and state; removed when it ends."""

_ONE_AT_A_TIME = threading.Lock()


def _unpacked(archive: Path) -> Path:
    whole = archive.parent.resolve() / archive.name
    if archive_of(whole):
        raise ParseError(archive, "an archive in an archive: unpack the outer one")
    facts = whole.stat()
    key = (whole, facts.st_ino, facts.st_size, facts.st_mtime_ns)
    with _ONE_AT_A_TIME:
        if key not in _FOLDERS:
            folder = Path(tempfile.mkdtemp(prefix="perfkit-archive-")).resolve()
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            try:
                _unpack(archive, folder)
            except BaseException:
                shutil.rmtree(folder)
                raise
            _FOLDERS[key], UNPACKED[folder] = folder, whole
        return _FOLDERS[key]


def _unpack(archive: Path, folder: Path) -> None:
    """Write every member below the folder."""
    ending = next(ending for ending in _MEMBERS if archive.name.lower().endswith(ending))
    left, seen, name = MOST_BYTES, set[PurePosixPath](), ""
    try:
        with _MEMBERS[ending](archive) as members:
            for number, member in enumerate(members):
                name = f"/{member.name}"
                if number == MOST_MEMBERS:
                    raise ParseError(archive, f"more than {MOST_MEMBERS:,} members")
                own = _place(archive, member, seen)
                left -= _write(member, folder / own, left)
    except _TooLargeError:
        raise ParseError(
            f"{archive}{name}",
            f"with it the archive is larger than {MOST_BYTES / GIB:g} GiB: unpack what you need",
        ) from None
    except _DAMAGED as problem:
        words = getattr(problem, "strerror", None) or problem
        raise ParseError(f"{archive}{name}", f"cannot be unpacked: {words}") from problem


def _place(archive: Path, member: _Member, seen: set[PurePosixPath]) -> PurePosixPath:
    """Where a member goes, below the archive's folder; ParseError for what goes nowhere."""
    own = PurePosixPath(member.name)
    if own.is_absolute() or ".." in own.parts:
        raise ParseError(f"{archive}/{member.name}", "leads out of the archive: it is not unpacked")
    if member.open is None:
        raise ParseError(
            f"{archive}/{member.name}",
            "neither a file nor a folder: pack the file that a link leads to (tar --dereference)",
        )
    if member.encrypted:
        raise ParseError(
            f"{archive}/{member.name}", "is encrypted: unpack the archive and read the folder"
        )
    if len(own.parts) > MOST_DEPTH:
        raise ParseError(
            f"{archive}/{member.name}", f"lies deeper than {MOST_DEPTH} folders: not unpacked"
        )
    if own in seen and not member.folder:
        raise ParseError(f"{archive}/{member.name}", "is in the archive twice")
    seen.add(own)
    return own


class _TooLargeError(Exception):
    """More bytes than an archive may hold; told as a ParseError."""


def _write(member: _Member, path: Path, left: int) -> int:
    """The bytes of a member, as counted while they are written: a header may lie."""
    if member.folder or member.open is None:
        path.mkdir(parents=True, exist_ok=True)
        return 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with member.open() as source, path.open("xb") as target:
        return _copy(source, target, left)


def _copy(source: IO[bytes], target: IO[bytes], most: int) -> int:
    size = 0
    while piece := source.read(_PIECE):
        size += len(piece)
        if size > most:
            raise _TooLargeError
        target.write(piece)
    return size


_ENCRYPTED = 1
"""The bit of a zip's flags."""


@contextlib.contextmanager
def _of_zip(archive: Path) -> Iterator[Iterator[_Member]]:
    with zipfile.ZipFile(archive) as file:
        yield (_zipped(file, item) for item in file.infolist())


def _zipped(file: zipfile.ZipFile, item: zipfile.ZipInfo) -> _Member:
    kind = stat.S_IFMT(item.external_attr >> 16)
    plain = kind in {0, stat.S_IFREG, stat.S_IFDIR}
    opens = (lambda: file.open(item)) if plain else None
    # some programs of Windows write its separators, against the form
    name = item.filename.replace("\\", "/") if item.create_system == 0 else item.filename
    return _Member(name, name.endswith("/"), opens, bool(item.flag_bits & _ENCRYPTED))


class _Tar(io.FileIO):
    """A tar on the disk, of which tarfile may read ``left`` bytes: it holds a header in memory."""

    left: float = _PIECE

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= self.left:
            raise tarfile.ReadError("a header of the archive is larger than 1 MiB")
        self.left -= size  # newer releases of Python read a long header piece by piece
        return super().read(size) or b""


def _of_tar(unpack: Callable[[Path], Any]) -> _Opener:
    """The members of a tar, which is laid aside plain first: its size is counted as it comes."""

    @contextlib.contextmanager
    def members(archive: Path) -> Iterator[Iterator[_Member]]:
        with tempfile.NamedTemporaryFile(prefix="perfkit-archive-") as aside:
            with unpack(archive) as packed:
                _copy(packed, aside, MOST_BYTES)
            aside.flush()
            with _Tar(aside.name) as plain, tarfile.open(fileobj=plain, mode="r:") as tar:
                yield _each(plain, tar)
                _refuse_rest(plain, tar.offset)

    return members


def _each(plain: _Tar, tar: tarfile.TarFile) -> Iterator[_Member]:
    for item in tar:
        plain.left = math.inf  # what is in the member is counted where it is written
        yield _tarred(tar, item)
        plain.left = _PIECE
    plain.left = math.inf


def _tarred(tar: tarfile.TarFile, item: tarfile.TarInfo) -> _Member:
    def data() -> IO[bytes]:
        return tar.extractfile(item) or io.BytesIO()

    return _Member(item.name, item.isdir(), data if item.isfile() or item.isdir() else None)


def _refuse_rest(plain: _Tar, end: int) -> None:
    """ReadError unless zeros follow the last member: tarfile takes any other rest for the end."""
    plain.seek(end)
    while (piece := plain.read(_PIECE)) and not any(piece):
        pass
    if piece or plain.tell() < end + tarfile.BLOCKSIZE:
        raise tarfile.ReadError("cut off or damaged behind this member")


_Opener = Callable[[Path], contextlib.AbstractContextManager[Iterator[_Member]]]

_MEMBERS: dict[str, _Opener] = {
    ".zip": _of_zip,
    ".tar": _of_tar(io.FileIO),
    ".tar.gz": _of_tar(gzip.GzipFile),
    ".tgz": _of_tar(gzip.GzipFile),
    ".tar.xz": _of_tar(lzma.LZMAFile),
    ".txz": _of_tar(lzma.LZMAFile),
    ".tar.bz2": _of_tar(bz2.BZ2File),
    ".tbz2": _of_tar(bz2.BZ2File),
    ".tar.zst": _of_tar(zstd),
    ".tzst": _of_tar(zstd),
    ".7z": _of_tar(as_tar),
}
"""The archives, by the ends of their names."""
