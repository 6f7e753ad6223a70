"""The forms in which fio writes what is no JSON, told apart to say what to do instead."""

from __future__ import annotations

import re

CURE = "run fio with --output-format=json+ --output=FILE and read that file"

FORMS = (
    (
        re.compile(r"^[345];fio-\d", re.M),
        f"fio's terse output, not a JSON result: it holds no histogram; {CURE}",
    ),
    (
        re.compile(r"^\S.*: \(groupid=\d+, jobs=\d+\): err=", re.M),
        f"fio's output for people, not a JSON result: its numbers are rounded; {CURE}",
    ),
    (
        re.compile(r"\A(?:\d+, ){1000,}"),
        f"a fio histogram log, not a result; {CURE}",
    ),
    (
        re.compile(r"\A(?:\d+, *\d+, *[0-2], *\d+(?:, *\w+)*\s*(?:\n|\Z))+"),
        f"a fio log, not a result; {CURE}",
    ),
    (
        re.compile(r"^\s+valid values: read\s+Sequential read", re.M),
        "no result: fio refused an option and wrote its help instead",
    ),
)
"""Each form with the sentence about it, in the order they are tried."""


def form_of(text: str) -> str | None:
    """What this text of fio's is, with the cure; None if it is none of the known forms."""
    return next((sentence for pattern, sentence in FORMS if pattern.search(text)), None)


OF_A_CLIENT = re.compile(
    r"^(<[^>]*>( |$)(\S+: \(g=\d+\): rw=.*|\.\.\.|Starting \d+ (thread|process)(s|es)?|)$"
    r"|hostname=\S+, be=\d)"
)
"""What fio's client prints of each server and job before the result: who it is, and the job."""
