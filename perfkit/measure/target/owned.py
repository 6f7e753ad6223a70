"""A file that is provably perfkit's own: made, held open, checked and removed, here or on a host.

It lies in a directory that perfkit makes (a random name, mode 0700). It is perfkit's while three
things agree with the record beside it (``owner.json``): the kernel's handle of the file, which
neither a copy nor a reused inode has; the file system; and a token of random bytes behind the
measured range, which is lost when somebody rewrites the whole file. All are checked through one
descriptor that stays open. The load generators are given that descriptor (``/proc/PID/fd/N``): a
name that somebody exchanges cannot lead them to another file.

This module is also sent as text to a remote host's ``python3`` (3.6 or later), after ``identity``
and ``extents``: beside them it imports the standard library only.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import secrets
import stat
import time
from typing import TYPE_CHECKING, cast

from perfkit.measure.target.extents import abilities, first_gap
from perfkit.measure.target.identity import Identity, boot_id, descriptor, mount_line

if TYPE_CHECKING:
    from perfkit.measure.target.forms import OwnerRecord, OwnFacts, Proof

FORMAT = 2
MARKER = "owner.json"
ASIDE = ".perfkit-"
"""The beginning of the name that a file has at the moment of its removal."""

TOKEN_BYTES = 4096
UNMOVED = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "tmpfs", "overlay"})
"""File systems whose time of the last write changes with a write and nothing else."""

_PLACE = getattr(os, "O_PATH", 0) | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_MARKER = 65536


class OwnedError(Exception):
    """The file is not, or no longer, provably perfkit's own, or not as it was laid out."""


class InUseError(OwnedError):
    """Another perfkit holds the file."""


def token_at(size: int) -> int:
    """Where the token begins after the measured bytes: at the next multiple of 4 KiB."""
    return -(-size // TOKEN_BYTES) * TOKEN_BYTES


class Owned:
    """perfkit's own file, held open together with its directory and its record.

    Attributes:
        folder: The directory that the user named.
        directory: The name of perfkit's directory in it.
        file: The name of the file.
        size: Bytes that are measured.
        handle: The descriptor through which everything is looked at.
        made: Whether it was made by this call.
    """

    def __init__(self, folder: str, directory: str, handles: list[int], record: OwnerRecord):
        self.folder, self.directory = folder, directory
        self._folder, self._directory, self.handle, self._marker = handles
        self._files = [self.handle, self._marker]
        self._record = record
        self.file, self.size = str(record["file"]), int(record["file_bytes"])
        self.made = False
        self.identity = Identity(self.handle)
        self.filesystem = mount_line(self.identity.mount)[0]
        self._seen: tuple[int, int] | None = None

    @property
    def path(self) -> str:
        """Its name, for messages, and for load generators that take no descriptor."""
        return os.path.join(self.folder, self.directory, self.file)

    @property
    def given(self) -> str | None:
        """The path that leads to the descriptor from any process of this user; None without."""
        return descriptor(self.handle)

    @property
    def laid_out(self) -> bool:
        """Whether every block has been written."""
        return bool(self._record["laid_out"])

    @property
    def token_sha256(self) -> str:
        """The hash of its token."""
        return str(self._record["token_sha256"])

    @property
    def there(self) -> bool:
        """Whether it is held, and its name is still its own."""
        try:
            return bool(self._files) and os.path.samestat(
                os.lstat(self.path), os.fstat(self.handle)
            )
        except OSError:
            return False

    def allocated_bytes(self) -> int:
        """Bytes of it that have been written so far."""
        return min(self.size, os.fstat(self.handle).st_blocks * 512)

    def lock(self) -> None:
        """Lock it against others; InUseError where another run holds it."""
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUseError(self.path + ": another perfkit run is using this file") from None
        except OSError as problem:
            if problem.errno not in {errno.EINVAL, errno.ENOLCK, errno.ENOTSUP}:
                raise

    def check(self, wrote: bool = False) -> Proof:
        """What is proved of it just now, and what cannot be; OwnedError where it is not as it was.

        ``wrote`` says that perfkit's own load wrote to it since the last check.
        """
        began = time.monotonic()
        try:
            self._check_name()
            self._check_content()
            proved = ["name", "size", "mount", "token"]
            not_told = {}
            if self.identity.kernel is None:
                not_told["handle"] = str(self.identity.why_no_kernel)
            else:
                proved.insert(1, "handle")
            for name, why in (("unchanged", self._written(wrote)), ("blocks", self._whole())):
                if why is None:
                    proved.append(name)
                else:
                    not_told[name] = why
            if self.laid_out and ("blocks" in proved or self._record["tells"]["holes"]):
                proved.append("holes")
        except OSError as problem:
            raise OwnedError(f"{self.path}: {problem.strerror}") from problem
        seconds = round(time.monotonic() - began, 6)
        return {
            "handle": self.identity.kernel,
            "proved": proved,
            "not_told": not_told,
            "check_s": seconds,
        }

    def facts(self) -> OwnFacts:
        """What it is, for the run's record: no path."""
        return {
            "directory": self.directory,
            "handle": self.identity.kernel,
            "filesystem": self.filesystem,
            "mode": oct(stat.S_IMODE(os.fstat(self._directory).st_mode)),
            "token_bytes": TOKEN_BYTES,
            "reused": not self.made,
        }

    def prove(self, token: str | None) -> None:
        """See that a file that was not made by this session is perfkit's; OwnedError with why not.

        By its record, or by the token of a file that another session of this call has made.
        """
        record, boot = self._record, self._record.get("boot")
        if token is None:
            directory = Identity(self._directory).mismatch(record["directory"], boot)
            why = f"the directory: {directory}" if directory else None
            why = why or self.identity.mismatch(record["identity"], boot)
        else:
            why = None if token == self.token_sha256 else "it is not the file that this sweep made"
        if why:
            raise OwnedError(why)
        self._check_name()
        self._check_content()
        if "removing" in self._record:
            aside, self.file, at = self.file, self._record.pop("removing"), self._directory
            os.rename(aside, self.file, src_dir_fd=at, dst_dir_fd=at)
            self._record["file"] = self.file
        if self.laid_out and self.missing(sync=True)[0] is not None:
            # ours, but no longer as it was laid out: to be written anew
            self._record["laid_out"] = False

    def _check_name(self) -> None:
        """The name still leads to the file that is held, through the same mount."""
        try:
            there = os.open(self.path, _PLACE)
        except FileNotFoundError:
            raise OwnedError(self.path + ": no longer there: it was removed or moved") from None
        try:
            found = Identity(there)
            link = stat.S_ISLNK(os.fstat(there).st_mode)
        finally:
            os.close(there)
        if found.same(self.identity):
            return
        if (found.mount, found.device) != (self.identity.mount, self.identity.device):
            now = mount_line(found.mount)[0]
            raise self._foreign(
                f"its place is on another file system ({now}, it was made on {self.filesystem})"
            )
        raise self._foreign("{} is in its place".format("a link" if link else "another file"))

    def _check_content(self) -> None:
        facts = os.fstat(self.handle)
        if facts.st_nlink != 1:
            raise self._foreign(f"{facts.st_nlink} names lead to it")
        if facts.st_size != token_at(self.size) + TOKEN_BYTES:
            raise self._foreign("its size was changed")
        # after an error newer kernels say so among the options alone
        options = mount_line(self.identity.mount)[1]
        if os.fstatvfs(self.handle).f_flag & os.ST_RDONLY or options & {"ro", "emergency_ro"}:
            raise OwnedError(self.path + ": its file system has become read-only")
        token = os.pread(self.handle, TOKEN_BYTES, token_at(self.size))
        if hashlib.sha256(token).hexdigest() != self.token_sha256:
            raise self._foreign("the token behind the measured bytes is gone")

    def _foreign(self, why: str) -> OwnedError:
        return OwnedError(f"{self.path}: no longer the file that perfkit made: {why}")

    def _written(self, wrote: bool) -> str | None:
        """Why foreign writes cannot be excluded, else None; OwnedError where there were any."""
        if self.filesystem not in UNMOVED:
            return f"{self.filesystem}: the time of the last write is not the host's own"
        facts = os.fstat(self.handle)
        before, self._seen = self._seen, (facts.st_mtime_ns, facts.st_size)
        if wrote or before is None:
            return "perfkit's own load wrote to it" if wrote else "it was not seen before"
        if before != self._seen:
            raise OwnedError(self.path + ": somebody else wrote to it while it was measured")
        return None

    def _whole(self) -> str | None:
        """Why missing blocks cannot be excluded, else None; OwnedError where some are missing."""
        if not self.laid_out:
            return "it is not laid out yet"
        missing, why = self.missing()
        if missing is not None:
            # what the kernel has not written yet may only look so
            missing, why = self.missing(sync=True)
        if missing is not None:
            raise OwnedError(
                f"{self.path}: not as it was laid out: no data at byte {missing} (a hole, or "
                "blocks that were never written)"
            )
        return why

    def missing(self, sync: bool = False) -> tuple[int | None, str | None]:
        """The first measured byte without data (None: none was found), and what stays unknown."""
        tells = self._record["tells"]
        if tells["extents"]:
            start, looked = first_gap(self.handle, self.size, sync)
            if start is not None:
                return start, None
            if looked >= self.size:
                return None, None
            rest = f"so many extents: unwritten blocks after byte {looked} are not looked for"
        else:
            looked = 0
            rest = "the file system lists no extents ({}): unwritten blocks are not told".format(
                tells["why"]
            )
        if not tells["holes"]:
            return None, rest + "; nor are holes"
        hole = os.lseek(self.handle, looked, os.SEEK_HOLE)
        return (hole if hole < self.size else None), rest

    def mark_laid_out(self) -> None:
        """Note that every block has been written; OwnedError where one has not."""
        os.fsync(self.handle)
        self._record["laid_out"] = True
        self._written(wrote=True)
        try:
            self._whole()
        except OwnedError:
            self._record["laid_out"] = False
            raise
        self._write()

    def _write(self) -> None:
        """Write the record in its place: no other file is made that could be left behind."""
        text = (json.dumps(self._record) + "\n").encode()
        os.pwrite(self._marker, text, 0)
        os.ftruncate(self._marker, len(text))
        os.fsync(self._marker)

    def remove(self) -> None:
        """Remove it with its directory; OwnedError where that is not provably perfkit's own.

        Whatever else somebody put into the directory stays, and the directory with it.
        """
        if self._gone():
            return
        try:
            self._check_name()
            self._check_content()
            unlink(self._directory, self.file, self.handle)
            unlink(self._directory, MARKER, self._marker)
        except (OSError, OwnedError):
            # hosts that share the file remove it at the same time: the other one may be at it
            if not self._goes():
                raise
            return
        # a file server keeps a removed file in its directory for as long as it is open
        self._let_go()
        try:
            os.rmdir(self.directory, dir_fd=self._folder)
        except OSError as problem:
            where = os.path.join(self.folder, self.directory)
            raise OwnedError(f"{where}: stays: {problem.strerror}") from problem

    def _goes(self) -> bool:
        for _ in range(20):
            if self._gone():
                return True
            time.sleep(0.05)
        return False

    def _gone(self) -> bool:
        """Whether another session of this call has removed it, where hosts share a file."""
        try:
            names = os.fstat(self.handle).st_nlink
        except OSError as problem:
            if problem.errno != errno.ESTALE:
                raise
            names = 0
        return not names and not os.path.lexists(self.path)

    def _let_go(self) -> None:
        while self._files:
            os.close(self._files.pop())

    def close(self) -> None:
        """Close all descriptors."""
        self._let_go()
        os.close(self._directory)
        os.close(self._folder)


def make(folder: str, file: str, size: int, directory: str | None = None) -> Owned:
    """A new file of a measured size in a new directory; nothing stays where that fails."""
    directory = directory or new_name()
    handles = [os.open(folder, FOLDER & ~os.O_NOFOLLOW)]
    made = []
    try:
        os.mkdir(directory, 0o700, dir_fd=handles[0])
        made.append((handles[0], directory))
        handles.append(os.open(directory, FOLDER, dir_fd=handles[0]))
        flags = OPEN | os.O_CREAT | os.O_EXCL
        handles.append(os.open(file, flags, 0o600, dir_fd=handles[1]))
        made.append((handles[1], file))
        os.ftruncate(handles[2], token_at(size) + TOKEN_BYTES)
        token = secrets.token_bytes(TOKEN_BYTES)
        record: OwnerRecord = {
            "format": FORMAT,
            "made_by": "perfkit",
            "file": file,
            "file_bytes": size,
            "boot": boot_id(),
            "identity": Identity(handles[2]).record(),
            "directory": Identity(handles[1]).record(),
            "token_sha256": hashlib.sha256(token).hexdigest(),
            "tells": abilities(handles[2], size),
            "laid_out": False,
        }
        os.pwrite(handles[2], token, token_at(size))
        handles.append(os.open(MARKER, flags, 0o600, dir_fd=handles[1]))
        made.append((handles[1], MARKER))
        found = Owned(folder, directory, handles, record)
        found.made = True
        found._write()
        os.fsync(handles[2])
        os.fsync(handles[1])
    except BaseException:
        for at, name in reversed(made):
            (os.rmdir if name == directory else os.unlink)(name, dir_fd=at)
        for handle in handles:
            os.close(handle)
        raise
    return found


def new_name() -> str:
    """A name for a directory that nobody can guess."""
    return "perfkit-" + secrets.token_hex(8)


def adopt(folder: str, directory: str, token: str | None = None) -> Owned:
    """The file of an earlier call, proved again to be perfkit's; OwnedError with why it is not.

    ``token``: the one that this very call's file has on another host, where both share it.
    """
    handles: list[int] = []
    try:
        handles.append(os.open(folder, FOLDER & ~os.O_NOFOLLOW))
        handles.append(os.open(directory, FOLDER, dir_fd=handles[0]))
        handles.append(os.open(MARKER, OPEN, dir_fd=handles[1]))
        record = read_record(handles[2])
        handles.insert(2, os.open(_last_name(handles[1], record), OPEN, dir_fd=handles[1]))
        found = Owned(folder, directory, handles, record)
        found.prove(token)
    except BaseException as problem:
        for handle in handles:
            os.close(handle)
        if isinstance(problem, OSError):
            raise OwnedError(str(problem.strerror)) from problem
        raise
    return found


def read_record(marker: int) -> OwnerRecord:
    """A record that was written here; OwnedError for anything else."""
    try:
        record = json.loads(os.pread(marker, _MAX_MARKER, 0).decode("utf-8"))
    except ValueError:
        record = None
    forms = {
        "made_by": str,
        "format": int,
        "file": str,
        "file_bytes": int,
        "token_sha256": str,
        "identity": dict,
        "directory": dict,
        "tells": dict,
        "laid_out": bool,
    }
    if (
        not isinstance(record, dict)
        or any(not isinstance(record.get(name), form) for name, form in forms.items())
        or (record["made_by"], record["format"]) != ("perfkit", FORMAT)
        or os.path.basename(record["file"]) != record["file"]
        or not {"extents", "holes", "why"} <= record["tells"].keys()
    ):
        raise OwnedError("its record is damaged")
    return cast("OwnerRecord", record)


def _last_name(directory: int, record: OwnerRecord) -> str:
    """The file's name; where a removal was cut short, the one it has in its last moment."""
    names = os.listdir(directory)
    aside = [name for name in names if name.startswith(ASIDE)]
    if record["file"] not in names and len(aside) == 1:
        record["removing"], record["file"] = record["file"], aside[0]
    return str(record["file"])


def unlink(directory: int, name: str, handle: int) -> None:
    """Remove a name of an open file, and never another file that takes the name meanwhile.

    The name is first changed to one that nobody knows: what has that one then cannot be exchanged.
    """
    aside = ASIDE + secrets.token_hex(16)
    os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)
    there = os.stat(aside, dir_fd=directory, follow_symlinks=False)
    if os.path.samestat(there, os.fstat(handle)):
        os.unlink(aside, dir_fd=directory)
        return
    if name not in os.listdir(directory):
        os.rename(aside, name, src_dir_fd=directory, dst_dir_fd=directory)
    raise OwnedError(name + ": another file was in its place, and stays")
