"""Labels of rows and columns: their words, and what the field's standard words make of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_BRACKET = re.compile(r"[(\[][^()\[\]]*[)\]]")
_WORD = re.compile(r"[a-z\u0394\u03c3][a-z\u0394\u03c3]*\d*(?:\.\d+)?|\d+(?:\.\d+)?(?:th)?|%")
_SAME = {
    "reads": "read",
    "rd": "read",
    "writes": "write",
    "wr": "write",
    "written": "write",
    "i/o": "io",
    "ios": "io",
    "iops": "io",
    "iop": "io",
    "ops": "io",
    "op": "io",
    "operations": "io",
    "operation": "io",
    "requests": "io",
    "request": "io",
    "latencies": "latency",
    "lat": "latency",
    "resp": "response",
    "averages": "average",
    "bandwidth": "throughput",
    "bw": "throughput",
    "thruput": "throughput",
    "drives": "drive",
    "ssds": "drive",
    "ssd": "drive",
    "disks": "drive",
    "disk": "drive",
    "pct": "%",
    "percent": "%",
    "percentage": "%",
    "utilisation": "utilization",
    "util": "utilization",
    "usr": "user",
    "sys": "system",
}
_STATS = {
    "sum": "sum",
    "total": "sum",
    "totals": "sum",
    "subtotal": "sum",
    "aggregate": "sum",
    "combined": "sum",
    "overall": "sum",
    "cumulative": "sum",
    "grand": "sum",
    "summed": "sum",
    "avg": "mean",
    "average": "mean",
    "mean": "mean",
    "std": "std",
    "stdev": "std",
    "stddev": "std",
    "sd": "std",
    "\u03c3": "std",
    "sigma": "std",
    "min": "min",
    "minimum": "min",
    "lowest": "min",
    "smallest": "min",
    "max": "max",
    "maximum": "max",
    "highest": "max",
    "largest": "max",
    "median": "median",
    "range": "range",
    "spread": "range",
}
_FILL = frozenset(
    [
        "of",
        "all",
        "the",
        "over",
        "across",
        "per",
        "for",
        "row",
        "column",
        "value",
        "values",
        "host",
        "hosts",
        "node",
        "nodes",
        "server",
        "servers",
        "instance",
        "instances",
        "run",
        "runs",
        "repeat",
        "repeats",
        "cluster",
        "system",
        "systems",
        "vm",
        "vms",
        "client",
        "clients",
        "test",
        "tests",
        "job",
        "jobs",
        "controller",
        "controllers",
        "both",
        "n",
        "dev",
        "deviation",
        "sample",
        "volume",
        "volumes",
        "lun",
        "luns",
        "array",
        "arrays",
        "thread",
        "threads",
        "measured",
        "in",
        "result",
        "results",
        "data",
        "point",
        "points",
        "iteration",
        "iterations",
    ]
)
_CHANGES = frozenset(
    [
        "delta",
        "difference",
        "diff",
        "change",
        "improvement",
        "gain",
        "reduction",
        "saving",
        "savings",
        "increase",
        "decrease",
        "speedup",
        "δ",
        "Δ",
        "uplift",
        "advantage",
        "benefit",
    ]
)
_SIGNLESS = frozenset(
    [
        "improvement",
        "gain",
        "reduction",
        "saving",
        "savings",
        "increase",
        "decrease",
        "uplift",
        "advantage",
        "benefit",
    ]
)
_NOT_ADDED = frozenset(
    [
        "latency",
        "response",
        "delay",
        "wait",
        "utilization",
        "%",
        "ratio",
        "share",
        "hit",
        "busy",
        "per",
        "percentile",
        "efficiency",
        "p50",
        "p90",
        "p95",
        "p99",
        "p99.9",
        "p999",
        "p99.99",
        "min",
        "max",
        "maximum",
        "minimum",
        "mean",
        "avg",
        "average",
        "median",
        "std",
        "stdev",
        "stddev",
        "longest",
        "effective",
        "peak",
        "age",
        "version",
        "depth",
    ]
)
IDENTITIES = frozenset(
    [
        "run",
        "id",
        "#",
        "no",
        "number",
        "thread",
        "threads",
        "job",
        "jobs",
        "depth",
        "qd",
        "iodepth",
        "load",
        "point",
        "user",
        "users",
        "session",
        "sessions",
        "step",
        "queue",
        "iteration",
        "repeat",
        "instance",
    ]
)
TIMES_OF_WAITING = frozenset({"ns", "\u00b5s", "ms"})


@dataclass(frozen=True)
class Label:
    """The words of a label without its unit, and those of them that say a statistic or a change."""

    text: str
    words: tuple[str, ...]

    @property
    def bare(self) -> frozenset[str]:
        """The words without statistics and changes."""
        return frozenset(w for w in self.words if w not in _STATS and w not in _CHANGES)

    @property
    def stats(self) -> frozenset[str]:
        """The statistics it names."""
        return frozenset(_STATS[w] for w in self.words if w in _STATS)

    @property
    def aggregate(self) -> str | None:
        """The statistic, of a label that names one and nothing else ("Average of 4 hosts")."""
        rest = [w for w in self.words if w not in _STATS and w not in _FILL and not w.isdigit()]
        stats = self.stats
        if "standard" in rest and "deviation" in self.words:
            rest.remove("standard")
            stats = stats | {"std"}
        if rest or not stats or self.change:
            return None
        for name in ("std", "median", "range", "mean", "min", "max", "sum"):
            if name in stats:
                return name
        return None

    @property
    def change(self) -> bool:
        """Whether it names a change from one to another."""
        return bool(_CHANGES & set(self.words))

    @property
    def signless(self) -> bool:
        """Whether it names a change by its size, whatever its direction ("Improvement")."""
        return bool(_SIGNLESS & set(self.words))

    @property
    def added(self) -> bool:
        """Whether its quantity adds up: a latency, a share or a statistic does not."""
        return not _NOT_ADDED & set(self.words)

    @property
    def identity(self) -> bool:
        """Whether it numbers or names its rows (a run, a load point)."""
        return bool(self.words) and set(self.words) <= IDENTITIES


@lru_cache(maxsize=4096)
def label_of(text: str) -> Label:
    """The label of a text."""
    bare = text.lower().replace("i/o", "io").replace("\u2019", "'")
    brackets = " ".join(_BRACKET.findall(bare))
    bare = _BRACKET.sub(" ", bare)
    if "%" in brackets and "%" not in bare:
        bare += " %"
    plain = re.sub(r"/s\b|/sec\b|\bper second\b", " ", bare)
    return Label(text, tuple(_SAME.get(word, word) for word in _WORD.findall(plain)))


def words_of(text: str) -> list[str]:
    """The words of a sentence, as those of labels."""
    return list(label_of(text).words)
