"""Commands of ONTAP's shell that set policies and give them to volumes, with a prompt or not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field

from perfkit.core.errors import ParseError
from perfkit.core.schema import Row
from perfkit.sources.ontap.policies import adaptive_row, fixed_row

_PROMPT = re.compile(r"^\s*(?:[\w.-]*::[\w\s-]*\*?>|\$|#)?\s*")
_VERBS = re.compile(
    r"(?P<verbs>qos\s+adaptive-policy-group\s+(?:create|modify|delete|rename|show)"
    r"|qos\s+policy-group\s+(?:create|modify|delete|rename|show)"
    r"|qos\s+statistics\s+[a-z]+(?:\s+[a-z]+)?\s+show|qos\s+statistics\s+(?:performance|latency)\s+show"
    r"|qos\s+workload\s+show|statistics\s+[a-z]+\s+show|statistics\s+show(?:-periodic)?"
    r"|vol(?:ume)?\s+(?:create|modify|show)|(?:volume\s+)?(?:lun|file)\s+(?:create|modify))(?=\s|$)",
    re.I,
)
_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))

ADAPTIVE = "qos adaptive-policy-group"
FIXED = "qos policy-group"
DEFAULTS = ("extreme", "performance", "value")
"""The adaptive policies that ONTAP comes with; they cannot be modified."""

_OPTIONS = {
    "policy-group": "policy", "policygroup": "policy", "vserver": "vserver",
    "expected-iops": "expected", "peak-iops": "peak", "absolute-min-iops": "absolute_min_iops",
    "expected-iops-allocation": "expected_allocation", "peak-iops-allocation": "peak_allocation",
    "block-size": "block_size",
}  # fmt: skip
_FIXED_OPTIONS = {
    "policy-group": "policy",
    "min-throughput": "min",
    "max-throughput": "max",
    "is-shared": "is_shared",
}
"""Options -> columns of the policies' tables."""


@dataclass(frozen=True)
class Command:
    """One command: its verbs, its options in order, and its line."""

    verbs: str
    options: tuple[tuple[str, str | None], ...]
    line: int
    notes: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, str | None]:
        """The options by name."""
        return dict(self.options)


def command_of(text: str, path: str, line: int) -> Command | None:
    """The command in a line; None where there is none.

    Raises ParseError for a word that belongs to no option.
    """
    plain = _PROMPT.sub("", text.strip().strip("`"), count=1).translate(_DASHES)
    found = _VERBS.match(plain)
    if not found:
        return None
    verbs = re.sub(r"\s+", " ", found["verbs"].lower())
    verbs = re.sub(r"^vol ", "volume ", verbs)
    try:
        words = shlex.split(plain[found.end() :], posix=True)
    except ValueError as problem:
        raise ParseError(path, f"{verbs}: {problem}", line) from problem
    options, notes = _options(words, verbs, path, line)
    return Command(verbs, tuple(options), line, tuple(notes))


def _options(
    words: list[str], verbs: str, path: str, line: int
) -> tuple[list[tuple[str, str | None]], list[str]]:
    options: list[tuple[str, str | None]] = []
    notes = []
    for word in words:
        if re.match(r"-[a-zA-Z]", word):
            options.append((word[1:].lower(), None))
        elif options and options[-1][1] is None:
            options[-1] = (options[-1][0], word)
        elif options and str(options[-1][1]).endswith(("-", "_")):
            # a line break in print: "aqos- epic-prod1"
            name, value = options[-1]
            notes.append(f"line {line}: {value!r} and {word!r} are read as one name")
            options[-1] = (name, f"{value}{word}")
        else:
            raise ParseError(path, f"{verbs}: {word!r} belongs to no option", line)
    return options, notes


@dataclass
class Commands:
    """What the commands of a file ask for, as rows of the tables."""

    path: str
    policies: list[Row] = field(default_factory=list)
    fixed: list[Row] = field(default_factory=list)
    assignments: list[Row] = field(default_factory=list)
    options: list[Row] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def take(self, command: Command) -> None:
        """Add a command's rows."""
        self.warnings.extend(command.notes)
        for name, value in command.options:
            self.options.append(
                {"command": command.verbs, "option": name, "value": value, "line": command.line}
            )
        group, _, verb = command.verbs.rpartition(" ")
        if group == ADAPTIVE and verb in {"create", "modify"}:
            self.policies.append(self._adaptive(command, verb))
        elif group == FIXED and verb in {"create", "modify"}:
            texts = {_FIXED_OPTIONS.get(k, k): v for k, v in command.values.items()}
            self.fixed.append(fixed_row(texts, verb, self.path, command.line))
        elif group in {"volume", "lun", "file", "volume file", "volume lun"}:
            self.assignments.extend(self._assignments(command))

    def _adaptive(self, command: Command, verb: str) -> Row:
        texts = {_OPTIONS[k]: v for k, v in command.values.items() if k in _OPTIONS}
        if not texts.get("policy"):
            raise ParseError(self.path, f"{command.verbs} without -policy-group", command.line)
        if verb == "modify" and texts["policy"] in DEFAULTS:
            self.warnings.append(
                f"line {command.line}: {texts['policy']} is a default policy, which ONTAP does not "
                "let be modified"
            )
        unknown = [name for name in command.values if name not in _OPTIONS and name != "force"]
        if unknown:
            self.warnings.append(
                f"line {command.line}: option -{unknown[0]} of {command.verbs} is not known"
            )
        return adaptive_row(texts, verb, self.path, command.line)

    def _assignments(self, command: Command) -> Iterator[Row]:
        values = command.values
        for name in ("qos-adaptive-policy-group", "qos-policy-group"):
            if name not in values:
                continue
            policy = values[name]
            if policy and policy.lower() == "non":
                self.warnings.append(
                    f"line {command.line}: -{name} {policy}: a policy of that name, or a cut-off "
                    "'none'? read as a name"
                )
            yield {
                "vserver": values.get("vserver"),
                "volume": values.get("volume"),
                "path": values.get("path") or values.get("file"),
                "policy": None if policy is None or policy.lower() == "none" else policy,
                "adaptive": name == "qos-adaptive-policy-group",
                "line": command.line,
            }
