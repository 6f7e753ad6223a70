"""What an accepted point shows and its reader must know: by name, with arguments, in words.

A name is stable: reports choose by it. The words can stand beside the value without the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Caution:
    """One caution.

    Attributes:
        name: One of ``NAMES``.
        text: The same as a sentence, the host's label before it where it is one of many.
        args: The numbers in it; a unit is part of each name.
        host: The load generator (``name:port``) it is about, where there are several.
    """

    name: str
    text: str
    args: Mapping[str, Any] = field(default_factory=dict)
    host: str | None = None

    def record(self) -> dict[str, Any]:
        """The JSON form, as it stands in point.json."""
        return {"name": self.name, "args": dict(self.args), "host": self.host, "text": self.text}


NAMES = {
    "stall": "no I/O completed for a second or longer, or one I/O took so long",
    "overran": "the load ran for longer than it was asked to",
    "busy host": "the processors had other work, before the run or during the point",
    "other I/O": "others read or wrote on the target's disk during the point",
    "swapping": "the host moved memory to or from its swap space",
    "throttled": "the processors were slowed: by heat, a quota, or a hypervisor",
    "missed rate": "the offered rate was not the achieved one",
    "saturated queue": "paced I/Os found the queue full",
    "overlapping drains": "a drain took longer than its period",
    "uneven threads": "the threads did not end together",
    "paced": "latency counts from the issue of an I/O",
    "memory": "the target's file system lives in memory",
    "device as found": "the device was read without being written before",
    "not steady": "the rounds did not become steady",
    "host not sampled": "what the host did during the point is not known, or in part",
    "no time series": "the point has no time series",
}
"""Every name, and what it says."""
