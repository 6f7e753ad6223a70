"""Kinds of tables: each is made of true values, printed rounded, with its relations."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

Place = tuple[int, int]


@dataclass
class Relation:
    """A printed cell that follows from others; ``slack`` is what rounding can explain."""

    claim: Place
    inputs: list[Place]
    slack: float
    kind: str


@dataclass
class Made:
    """A table: heads (levels), cells as text, and what is known of them."""

    heads: list[list[str]]
    cells: list[list[str]]
    relations: list[Relation]
    values: dict[Place, float]
    style: dict[Place, Style]
    sentences: list[str] = field(default_factory=list)
    wrong: set[Place] = field(default_factory=set)


@dataclass(frozen=True)
class Style:
    """How a number is printed."""

    decimals: int
    commas: bool = False
    scale: str = ""
    unit: str = ""
    sign: bool = False

    def show(self, value: float) -> str:
        if self.scale:
            value /= {"K": 1e3, "M": 1e6}[self.scale]
        text = f"{value:{'+' if self.sign else ''}{',' if self.commas else ''}.{self.decimals}f}"
        return f"{text}{self.scale}{self.unit}"

    @property
    def half(self) -> float:
        return 0.5 * 10.0**-self.decimals * {"": 1, "K": 1e3, "M": 1e6}[self.scale]


class Builder:
    """Puts true values into a grid and keeps their styles."""

    def __init__(self, heads: list[list[str]]):
        self.heads, self.cells, self.relations = heads, [], []
        self.true: dict[Place, float] = {}
        self.style: dict[Place, Style] = {}

    def row(self, name: str, values: list[float | None], styles: list[Style]) -> int:
        at = len(self.cells)
        texts = [name]
        for n, (value, style) in enumerate(zip(values, styles, strict=True), 1):
            if value is None:
                texts.append("-")
                continue
            self.true[at, n], self.style[at, n] = value, style
            texts.append(style.show(value))
        self.cells.append(texts)
        return at

    def relate(self, claim: Place, inputs: list[Place], weight: float, kind: str) -> None:
        """The claim follows from the inputs; ``weight``: how an input's rounding moves it."""
        if claim not in self.true:
            return
        slack = self.style[claim].half + weight * sum(self.style[p].half for p in inputs)
        self.relations.append(Relation(claim, inputs, slack, kind))

    def made(self, sentences: list[str] | None = None) -> Made:
        return Made(self.heads, self.cells, self.relations, self.true, self.style, sentences or [])


ITEMS = ["node-{n}", "Host {n}", "esx0{n}", "db{n}", "Controller {n}", "rac{n}", "Server {n}"]
PAIRS = [
    ("A400", "A800"),
    ("iSCSI", "NVMe/TCP"),
    ("FCP", "NVMe/FC"),
    ("Legacy array", "Flash array"),
    ("Baseline", "Tuned"),
    ("RHEL 8", "RHEL 9"),
    ("Before", "After"),
    ("HDD", "SSD"),
]
THROUGHPUT = ["MB/s", "MiB/s"]


def _iops_style(rng: Random) -> Style:
    return rng.choice([Style(0, True), Style(0), Style(1, scale="K"), Style(2, True)])


def per_host(rng: Random) -> Made:
    """Hosts with reads, writes, totals, and rows of aggregates below."""
    n = rng.randint(3, 8)
    style, rate = _iops_style(rng), Style(rng.choice([0, 1]), True)
    read, write = rng.choice(
        [
            ("Read IOPS", "Write IOPS"),
            ("Reads/s", "Writes/s"),
            ("Physical reads/s", "Physical writes/s"),
            ("Random read IOPS", "Random write IOPS"),
        ]
    )
    base = (
        read.replace("Read ", "").replace("Reads", "IO").replace("reads", "IO").replace("read ", "")
    )
    total = rng.choice(["Total ", "Combined ", "Aggregate "]) + base
    unit = rng.choice(THROUGHPUT)
    lat = rng.choice(["Latency (ms)", "Avg latency (ms)", "Response time (ms)"])
    build = Builder(
        [
            [
                rng.choice(["Host", "Node", "Instance", "Server"]),
                read,
                write,
                total,
                f"Throughput ({unit})",
                lat,
            ]
        ]
    )
    styles = [style, style, style, rate, Style(2)]
    name = rng.choice(ITEMS)
    rows, values = [], []
    for i in range(1, n + 1):
        r, w = rng.uniform(2e4, 9e4), rng.uniform(5e3, 3e4)
        line = [r, w, r + w, (r + w) * rng.uniform(0.007, 0.009), rng.uniform(0.2, 1.8)]
        values.append(line)
        rows.append(build.row(name.format(n=i), line, styles))
    for at in rows:
        build.relate((at, 3), [(at, 1), (at, 2)], 1, "total")
    labels = {
        "sum": ["Sum", "Total", "Aggregate", "Overall", "Total (all hosts)", "Cluster total"],
        "avg": ["Average", "Avg", "Mean", "Average per node"],
        "std": ["Std Dev", "Std", "StdDev", "Standard deviation"],
        "min": ["Min", "Minimum"],
        "max": ["Max", "Maximum"],
    }
    wanted = rng.choice(
        [["sum"], ["sum", "avg"], ["sum", "avg", "std"], ["avg", "std"], ["min", "avg", "max"]]
    )
    rule: dict[str, Callable[[list[float]], float]] = {
        "sum": sum,
        "avg": statistics.fmean,
        "std": statistics.stdev,
        "min": min,
        "max": max,
    }
    for kind in wanted:
        line = [rule[kind]([v[c] for v in values]) for c in range(5)]
        last = (
            line[4]
            if kind != "sum"
            else (None if rng.random() < 0.5 else statistics.fmean([v[4] for v in values]))
        )
        at = build.row(rng.choice(labels[kind]), [*line[:4], last], styles)
        for c in range(1, 6):
            if c == 5 and kind == "sum":
                continue
            weight = {"sum": 1, "avg": 1 / n, "std": 1.2, "min": 1, "max": 1}[kind]
            build.relate((at, c), [(r, c) for r in rows], weight, kind)
        if kind in {"sum", "avg"}:
            build.relate((at, 3), [(at, 1), (at, 2)], 1, "total")
    return build.made()


def comparison(rng: Random) -> Made:
    """Metrics of two systems with a column of differences."""
    a, b = rng.choice(PAIRS)
    percent = rng.random() < 0.7
    label = rng.choice(["Change", "Difference", "Delta", "Improvement", "Gain"])
    head = f"{label} (%)" if percent else label
    build = Builder([[rng.choice(["Metric", "Workload", "Load point", "Block size"]), a, b, head]])
    names = rng.sample(
        [
            "8K random read",
            "8K random write",
            "64K sequential read",
            "OLTP 70/30",
            "100% read",
            "75/25 mix",
            "VDI boot",
            "Backup",
            "Batch load",
            "4K random read",
            "Index rebuild",
        ],
        rng.randint(4, 8),
    )
    style = _iops_style(rng)
    up = label in {"Improvement", "Gain"}
    for name in names:
        x = rng.uniform(3e4, 3e5)
        y = x * rng.uniform(1.05, 1.9) if up else x * rng.uniform(0.6, 1.9)
        own = (
            Style(rng.choice([0, 1]), unit="%", sign=rng.random() < 0.3)
            if percent
            else Style(style.decimals, style.commas, style.scale)
        )
        value = (y / x - 1) * 100 if percent else y - x
        at = build.row(name, [x, y, value], [style, style, own])
        if percent:
            slack = own.half + 100 * (style.half / x + y * style.half / x**2)
            build.relations.append(Relation((at, 3), [(at, 1), (at, 2)], slack * 1.02, "percent"))
        else:
            build.relate((at, 3), [(at, 1), (at, 2)], 1, "difference")
    return build.made()


def delta_row(rng: Random) -> Made:
    """Two systems as rows and their difference below."""
    a, b = rng.choice(PAIRS)
    columns = rng.sample(
        [
            ("Elapsed time (min)", 200, 2000, 2),
            ("CPU time (min)", 100, 900, 2),
            ("Memory (GB)", 40, 90, 2),
            ("IOPS", 5e4, 4e5, 0),
            ("Throughput (MB/s)", 500, 9000, 1),
            ("Latency (ms)", 0.2, 3, 3),
            ("User CPU (s)", 100, 1000, 1),
        ],
        rng.randint(3, 5),
    )
    build = Builder(
        [[rng.choice(["Storage", "System", "Configuration"]), *(c[0] for c in columns)]]
    )
    styles = [Style(c[3], rng.random() < 0.5) for c in columns]
    x = [rng.uniform(c[1], c[2]) for c in columns]
    y = [v * rng.uniform(0.7, 1.3) for v in x]
    first, second = build.row(a, x, styles), build.row(b, y, styles)
    if rng.random() < 0.5:
        signed = [Style(s.decimals, s.commas, sign=True) for s in styles]
        label = rng.choice(["Delta", "Difference", "Aggregate delta", "Change"])
        at = build.row(label, [q - p for p, q in zip(x, y, strict=True)], signed)
        for c in range(1, len(columns) + 1):
            build.relate((at, c), [(first, c), (second, c)], 1, "difference")
        return build.made()
    own = Style(1, unit="%", sign=True)
    at = build.row(
        rng.choice(["Change", "Delta (%)", "Difference", "% change"]),
        [(q / p - 1) * 100 for p, q in zip(x, y, strict=True)],
        [own] * len(x),
    )
    for c, (p, q) in enumerate(zip(x, y, strict=True), 1):
        half = styles[c - 1].half
        slack = own.half + 100 * (half / p + q * half / p**2)
        build.relations.append(
            Relation((at, c), [(first, c), (second, c)], slack * 1.02, "percent")
        )
    return build.made()


def repeats(rng: Random) -> Made:
    """Repeats side by side with their mean and deviation."""
    n = rng.randint(3, 5)
    word = rng.choice(["Run", "Repeat", "Test", "Iteration"])
    mean, dev = (
        rng.choice(["Mean", "Average", "Avg"]),
        rng.choice(["Std Dev", "StdDev", "Standard deviation"]),
    )
    both = rng.random() < 0.7
    heads = [
        rng.choice(["Threads", "Workload", "Queue depth"]),
        *(f"{word} {i}" for i in range(1, n + 1)),
        mean,
    ]
    build = Builder([[*heads, dev] if both else heads])
    style = Style(0, rng.random() < 0.7)
    own = Style(1, style.commas)
    for i in range(rng.randint(4, 9)):
        centre = rng.uniform(2e4, 2e5)
        runs = [centre * rng.uniform(0.97, 1.03) for _ in range(n)]
        extra = [statistics.fmean(runs), statistics.stdev(runs)][: 1 + both]
        at = build.row(str(2 ** (i + 1)), [*runs, *extra], [style] * n + [own] * len(extra))
        inputs = [(at, c) for c in range(1, n + 1)]
        build.relate((at, n + 1), inputs, 1 / n, "avg")
        if both:
            build.relate((at, n + 2), inputs, 1.2, "std")
    return build.made()


def ramp(rng: Random) -> Made:
    """Runs with reads, writes and totals, and a limit stated for one column."""
    style = rng.choice([Style(0), Style(0, True), Style(1, scale="K")])
    spelt = rng.choice(["IOPS", "IOPs"])
    total = rng.choice([f"Total {spelt}", f"Combined {spelt}"])
    cycle, unit, top = rng.choice(
        [
            ("Longest write cycle (sec)", "seconds", 45),
            ("Checkpoint time (s)", "seconds", 60),
            ("Longest flush cycle (sec)", "seconds", 30),
        ]
    )
    build = Builder(
        [["Run", f"Read {spelt}", f"Write {spelt}", total, cycle, "Effective write latency (ms)"]]
    )
    for i in range(rng.randint(6, 12)):
        r = rng.uniform(4e4, 9e4)
        w = r * rng.uniform(0.3, 0.35)
        at = build.row(
            str(10 + i),
            [r, w, r + w, rng.uniform(0.5, 0.95) * top, rng.uniform(0.08, 0.9)],
            [style, style, style, Style(2), Style(2)],
        )
        build.relate((at, 3), [(at, 1), (at, 2)], 1, "total")
        build.relations.append(Relation((at, 4), [], top - build.true[at, 4], "limit"))
    name = cycle.rpartition(" (")[0].lower()
    said = rng.choice(
        [
            f"To pass the test, the {name} must have been below {top} {unit}.",
            f"The {name} must not exceed {top} {unit}.",
            f"It is required that the {name} stay below {top} {unit}.",
        ]
    )
    return build.made([said])


def levels(rng: Random) -> Made:
    """Heads of two levels: read, write and total, each with IOPS and throughput."""
    unit = rng.choice(THROUGHPUT)
    third = rng.choice(["Total", "Combined", "Overall"])
    build = Builder(
        [
            ["", "Read", "Read", "Write", "Write", third, third],
            [
                rng.choice(["Threads", "Jobs", "Queue depth"]),
                "IOPS",
                unit,
                "IOPS",
                unit,
                "IOPS",
                unit,
            ],
        ]
    )
    style, rate = _iops_style(rng), Style(1, True)
    for i in range(rng.randint(5, 9)):
        r, w = rng.uniform(2e4, 2e5), rng.uniform(1e4, 8e4)
        size = 8192 / {"MB/s": 1e6, "MiB/s": 2**20}[unit]
        at = build.row(
            str(2**i), [r, r * size, w, w * size, r + w, (r + w) * size], [style, rate] * 3
        )
        for c in (1, 3, 5):
            build.relate((at, c + 1), [(at, c)], size, "rate")
        build.relate((at, 5), [(at, 1), (at, 3)], 1, "total")
        build.relate((at, 6), [(at, 2), (at, 4)], 1, "total")
    return build.made()


def shares(rng: Random) -> Made:
    """Counts by kind with a total row, and times of user and system with their total."""
    build = Builder(
        [
            [
                rng.choice(["Job", "Test", "Step"]),
                "User CPU (s)",
                "System CPU (s)",
                rng.choice(["Total CPU (s)", "Total CPU time (s)"]),
            ]
        ]
    )
    style = Style(2, True)
    rows, values = [], []
    for name in rng.sample(
        ["extract", "sort", "merge", "regression", "report", "index", "load", "backup"],
        rng.randint(4, 7),
    ):
        u, s = rng.uniform(50, 900), rng.uniform(5, 90)
        values.append((u, s, u + s))
        rows.append(build.row(name, [u, s, u + s], [style] * 3))
    if "time" in build.heads[0][3]:
        build.heads[0][1:3] = ["User CPU time (s)", "System CPU time (s)"]
    for at in rows:
        build.relate((at, 3), [(at, 1), (at, 2)], 1, "total")
    at = build.row(
        rng.choice(["Total", "Sum", "Grand total"]),
        [sum(v[c] for v in values) for c in range(3)],
        [style] * 3,
    )
    for c in (1, 2, 3):
        build.relate((at, c), [(r, c) for r in rows], 1, "sum")
    build.relate((at, 3), [(at, 1), (at, 2)], 1, "total")
    return build.made()


KINDS = (per_host, comparison, delta_row, repeats, ramp, levels, shares)
