"""Whether a host's target may be written to: facts from the probe in, reasons against it out.

Every rule is a line of ``RULES``. What cannot be known forbids as well: that nothing speaks against
writing must have been seen, and is never assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from perfkit.core.errors import SafetyError
from perfkit.core.files import Json
from perfkit.core.units import format_size

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Refusal:
    """A reason against writing to a target, and the rule that found it."""

    rule: str
    reason: str


@dataclass(frozen=True)
class Consent:
    """What the user agreed to overwrite, as it is kept in run.json."""

    model: str | None
    serial: str | None
    identity: str
    given: str

    def record(self) -> Json:
        """The JSON form."""
        return asdict(self)


def identity(facts: Facts) -> str:
    """How a device is named for consent: model and serial, and which partition of it.

    A device without a serial number is named by what else the kernel has: its world-wide name, or
    at last its name and size in bytes.
    """
    model, serial = facts.get("model"), facts.get("serial") or facts.get("wwid")
    words = [model or "unknown model"]
    words.append(serial or f"{facts['name']} {facts.get('size_bytes')} bytes")
    if facts.get("partition") is not None:
        words.append(f"partition {facts['partition']}")
    return " ".join(" ".join(str(word).split()) for word in words)


def refusals(facts: Facts) -> list[Refusal]:
    """Every reason against writing to a device, in the order of ``RULES``."""
    if facts.get("kind") != "device":
        return [Refusal("kind", f"not a device but {facts.get('kind')}")]
    if not facts.get("known"):
        return [Refusal("unknown", "the kernel has no entry of it in /sys: nothing can be checked")]
    found = [(rule, check(facts)) for rule, check in RULES.items()]
    return [Refusal(rule, reason) for rule, reason in found if reason]


def _read_only(facts: Facts) -> str | None:
    if facts["read_only"] is None:
        return "it is not known whether it is read-only"
    return "it is read-only" if facts["read_only"] else None


def _system(facts: Facts) -> str | None:
    system = facts["system"]
    ours = sorted(set(facts["disks"]) & set(system["disks"]))
    if ours:
        return f"it lies on {ours[0]}, which carries the running system"
    if system["lost"]:
        return f"the disk that carries {system['lost'][0]} cannot be determined: it may be this one"
    return None


def _signatures(facts: Facts) -> str | None:
    if facts["signatures"] is None:
        return (
            "it cannot be searched for signatures of file systems and volumes: that needs wipefs "
            "or blkid, and the right to read it"
        )
    found = _listed("it carries signatures of", facts["signatures"])
    return f"{found}; if they are not needed, remove them with wipefs --all" if found else None


def _busy(facts: Facts) -> str | None:
    if facts["exclusive"] is None:
        return "it cannot be opened for exclusive use: that needs root, or membership of its group"
    return None if facts["exclusive"] else "it is in exclusive use: something holds or mounts it"


def _open(facts: Facts) -> str | None:
    if facts["open_by"] is None:
        return "whether other processes have it open cannot be checked: that needs root"
    return _listed("it is open in", facts["open_by"])


def _listed(words: str, found: Sequence[str]) -> str | None:
    return f"{words} {', '.join(found)}" if found else None


RULES: dict[str, Callable[[Facts], str | None]] = {
    "size": lambda facts: None if facts["size_bytes"] else "its size is not known, or zero",
    "read-only": _read_only,
    "system disk": _system,
    "mounted": lambda facts: _listed(
        "it is mounted:", [f"{m['device']} on {m['point']}" for m in facts["mounted"]]
    ),
    "swap": lambda facts: _listed("it is swapped on:", facts["swaps"]),
    "holders": lambda facts: _listed(
        "it is held:", [f"{h['device']} by {h['holder']} ({h['what']})" for h in facts["holders"]]
    ),
    "exported": lambda facts: _listed("it is served to others:", facts["exported"]),
    "partitions": lambda facts: _listed("it has partitions:", facts["partitions"]),
    "signatures": _signatures,
    "busy": _busy,
    "open": _open,
}


def check_device(facts: Facts, consents: Sequence[str]) -> Consent:
    """The consent that fits a device; SafetyError with every reason against writing to it.

    ``consents`` are the user's words, one of which must be the device's ``identity``. Blanks count
    as one; nothing else is overlooked, and no part of the identity is enough.
    """
    who = facts["asked"]
    against = refusals(facts)
    if against:
        raise SafetyError(f"{who}: not overwritten: {'; '.join(r.reason for r in against)}")
    name = identity(facts)
    for given in consents:
        if " ".join(given.split()) == name:
            return Consent(facts.get("model"), facts.get("serial"), name, given)
    held = _held(facts["contents"])
    wrong = f"; {consents[0]!r} names another device" if consents else ""
    raise SafetyError(
        f"{who}: this overwrites {format_size(facts['size_bytes'])} on {name!r}, which {held}"
        f"{wrong}; to agree, add --overwrite {name!r}"
    )


def _held(contents: Facts | None) -> str:
    """What samples of a device contained, and how much of it was read."""
    if contents is None:
        return "could not be read"
    if not contents["zero"]:
        return "holds data"
    read, size = contents["sampled_bytes"], contents["size_bytes"]
    if read >= size:
        return "holds nothing but zeros"
    return (
        f"held zeros in {contents['samples']} samples over all of it ({format_size(read)}, "
        f"{read / size:.2g} of it); what lies between them was not read"
    )


def check_same(before: Facts, now: Facts) -> None:
    """SafetyError when a path leads to another device than when consent was given."""
    for name in ("number", "size_bytes", "model", "serial", "wwid", "partition"):
        if before.get(name) != now.get(name):
            raise SafetyError(
                f"{now['asked']}: another device than the one agreed to: its {name} was "
                f"{before.get(name)!r} and is {now.get(name)!r}"
            )


def check_directory_facts(facts: Facts, host: str) -> None:
    """SafetyError unless a host has a directory in which perfkit may make its own."""
    kinds = {"missing": missing(facts["asked"]), "directory": None}
    kind = kinds.get(facts["kind"], "not a directory")
    reason = kind or (None if facts["writable"] else "the directory is not writable")
    if reason:
        raise SafetyError(f"{host}: {facts['asked']}: {reason}")


def missing(target: str) -> str:
    """What is not there: a device, or a directory."""
    device = target.startswith("/dev/")
    return "no such device" if device else "no such directory; perfkit does not make it"
