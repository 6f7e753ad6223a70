"""Labels of rows and columns: their words, and what the field's standard words make of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from perfkit.formats.printed_text import word_set

_BRACKET = re.compile(r"[(\[][^()\[\]]*[)\]]")
_WORD = re.compile(
    r"p\d+(?:\.\d+)?|[a-z\u0394\u03c3\u0430-\u044f\u4e00-\u9fff\uac00-\ud7a3]+\d*|\d+(?:\.\d+)?(?:th|st|nd|rd)|\d+(?:\.\d+)?%?|%"
)
_SAME = {
    word: name
    for name, words in {
        "read": "reads rd randread",
        "write": "writes wr written randwrite",
        "io": "i/o ios iops iop ops op operations operation requests request",
        "latency": "latencies lat clat slat resp response",
        "average": "averages avg mean",
        "throughput": "bandwidth bw thruput",
        "drive": "drives ssds ssd disks disk",
        "%": "pct percent percentage",
        "user": "usr",
        "hit": "hits",
        "miss": "misses",
        "passed": "pass passes success successes successful succeeded",
        "failed": "fail fails failures",
        "used": "allocated",
        "free": "available",
        "system": "sys",
        "utilization": "util utilisation",
        "stdev": "std stddev sd sigma \u03c3 deviation",
        "max": "maximum highest largest longest",
        "min": "minimum lowest smallest",
        "sum": "total totals combined aggregate cumulative gesamt summe insgesamt totale suma somme "
        "\u0438\u0442\u043e\u0433\u043e \u0432\u0441\u0435\u0433\u043e "
        "\u5408\u8ba1 \u603b\u8ba1 \u603b\u548c \u5408\u8a08 \ud569\uacc4 \ucd1d\uacc4",
        "change": "delta difference diff gap margin growth drop \u0394 \u03b4",
        "gain": "improvement increase uplift advantage benefit improved better faster",
        "saving": "savings reduction decrease reduced lower",
    }.items()
    for word in words.split()
}
_STATS = {"sum": "sum", "grand": "sum", "overall": "sum", "subtotal": "sum", "average": "mean",
          "stdev": "std", "min": "min", "max": "max", "median": "median", "range": "range",
          "spread": "range", "geomean": "geomean", "geometric": "geomean"}  # fmt: skip
_FILL = word_set(
    "of all the over across per for row column value values host hosts node nodes server "
    "servers instance instances run runs cluster system systems vm vms client clients test "
    "tests job jobs controller controllers both n sample standard volume volumes array arrays "
    "thread threads in result results data iteration iterations grand multiplier score"
)
_ALL = word_set("all everything altogether")
_SPANS = word_set("time elapsed runtime duration everything altogether")
_CHANGES = frozenset({"change", "gain", "saving", "speedup", "vs", "versus", "ratio", "relative",
                      "slowdown", "overhead", "compared", "scaled", "normalized", "normalised",
                      "multiple", "multiples"})  # fmt: skip
NUMBERING = word_set(
    "run id # no number thread threads job jobs numjobs depth qd iodepth queue load point "
    "user users session sessions step iteration repeat instance clients client vcpu cores"
)
_RANK = re.compile(r"p?(\d{2,}(?:\.\d+)?)(?:th|%)?")
_NAMED_RANKS = word_set("25 50 75 90 95 98 99 999 9999")
_SHORT = 3
LOWEST, HIGHEST, MEAN = -1.0, 101.0, -2.0
_RANKED = word_set("latency time delay wait service percentile line read write io median max min")
"""What "90%" may stand beside where it is a percentile."""
_SPEEDS = word_set("throughput io speed rate")
_FASTEST = {"fastest": HIGHEST, "slowest": LOWEST}
_PEAKS = frozenset({"hottest", "busiest", "worst", "peak"})
_OVER = frozenset({"average", "all", "node", "nodes", "overall"})
_RANKS = {"min": LOWEST, "max": HIGHEST, "average": MEAN, "median": 50.0}


@dataclass(frozen=True)
class Label:
    """The words of a label without its unit, and those of them that say a statistic or a change."""

    text: str
    words: tuple[str, ...]

    @cached_property
    def aggregate(self) -> str | None:
        """The statistic, of a label that names one and nothing else ("Average of 4 hosts")."""
        stats = {_STATS[w] for w in self.words if w in _STATS} or (
            {"sum"} if set(self.words) & _ALL else set()
        )
        fill = _FILL | _SPANS if stats == {"sum"} else _FILL
        rest = [w for w in self.words if w not in _STATS and w not in fill and not w.isdecimal()]
        if rest or not stats or self.change:
            return None
        return next(
            n
            for n in ("std", "median", "range", "geomean", "mean", "min", "max", "sum")
            if n in stats
        )

    @property
    def total_of(self) -> bool:
        """Whether it is "Total" and a word or two of what: the last row of a table is often so called."""
        return bool(self.words) and self.words[0] == "sum" and len(self.words) <= _SHORT

    @property
    def said_sum(self) -> bool:
        """Whether its own words say a sum: "Total", but not "All"."""
        return any(_STATS.get(word) == "sum" for word in self.words)

    @cached_property
    def change(self) -> bool:
        """Whether it names a change from one to another."""
        return bool(_CHANGES & set(self.words))

    @property
    def signless(self) -> bool:
        """Whether it names a change by its size, whatever its direction ("Improvement")."""
        return bool({"gain", "saving"} & set(self.words))

    @property
    def numbering(self) -> bool:
        """Whether it numbers its rows, or says how the load was set (a run, a depth)."""
        return bool(self.words) and set(self.words) <= NUMBERING

    @cached_property
    def rank(self) -> tuple[float, frozenset[str]] | None:
        """Where in its distribution a label stands, and of what: "p99 read" is (99, read)."""
        loose = {"percentile", "percentiles", "pct", "%", "th", "value"}
        if _SPEEDS & set(self.words) and (fast := _FASTEST.keys() & set(self.words)):
            return _FASTEST[min(fast)], frozenset(self.words) - loose - fast
        peaks = [word for word in self.words if word in _PEAKS]
        if peaks:
            return HIGHEST, frozenset(self.words) - loose - _PEAKS - _OVER
        for word in self.words:
            match = _RANK.fullmatch(word) if word[-1:] != "%" or len(self.words) > 1 else None
            place = _RANKS.get(word)
            if match and (word[0] == "p" or word[-1] in "h%") and place is None:
                digits = match[1]
                if word[-1] == "%" and not set(self.words) - {word} <= _RANKED:
                    continue  # "90% VRAM hit" is a share
                if word[-1] == "h" and digits not in _NAMED_RANKS and "." not in digits:
                    continue  # the 10th, 11th and 12th of a series
                nines = set(digits) == {"9"} and digits > "99"  # p999 is 99.9
                place = float(f"{digits[:2]}.{digits[2:]}") if nines else float(digits)
            if place is not None and place <= HIGHEST:
                return place, frozenset(self.words) - {word} - loose - (
                    _OVER if place == MEAN else set()
                )
        return None


@lru_cache(maxsize=8192)
def label_of(text: str) -> Label:
    """The label of a text."""
    bare = text.lower().replace("i/o", "io").replace("\\", "").replace("_", " ")
    bare = re.sub(r"\btp(?=\d)", "p", bare).replace("v.s.", "vs")
    bare = re.sub(r"\bp\s?\((\d{2}(?:\.\d+)?)\)", r"p\1", bare)
    brackets = " ".join(_BRACKET.findall(bare))
    bare = _BRACKET.sub(" ", bare)
    if "%" in brackets and "%" not in bare:
        bare += " %"
    plain = re.sub(r"/s(?:ec)?\b|\bper second\b", " ", bare)
    found = [_SAME.get(word, word) for word in _WORD.findall(plain)]
    return Label(
        text, tuple(w for w in found if w not in {"ms", "us", "ns", "sec", "mb", "gb", "mib"})
    )
