"""ONTAP's QoS as its shell could have shown it: policies, who has which, and the statistics.

The numbers were measured by nobody; widths and units follow published output of ONTAP 9.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

VSERVER = "epic"
SERVERS = ("epic_rhel1", "epic_rhel2", "epic_rhel3")
REQUEST_BYTES = 8 * 1024
PARTS = ("Network", "Cluster", "Data", "Disk", "QoS Max", "QoS Min", "NVRAM", "Cloud")


@dataclass(frozen=True)
class Policy:
    """An adaptive policy; rates per TB."""

    name: str
    vserver: str
    expected: int
    peak: int
    minimum: int
    block: str = "ANY"
    workloads: int = 0


POLICIES = (
    Policy("AqosEpicProd", VSERVER, 15_000, 30_000, 7_500, workloads=32),
    Policy("extreme", "cluster1", 6144, 12_288, 1000),
    Policy("performance", "cluster1", 2048, 4096, 500),
    Policy("value", "cluster1", 128, 512, 75),
)


@dataclass(frozen=True)
class Row:
    """One workload in one iteration."""

    name: str
    number: int | None
    iops: int
    parts_us: tuple[int, ...]

    @property
    def latency_us(self) -> int:
        """The latency is the sum of its parts."""
        return sum(self.parts_us)


def policies_text(policies: Sequence[Policy] = POLICIES, *, minimum: bool = True) -> str:
    """``qos adaptive-policy-group show``: the listing of 9.3, or with minimum and block size."""
    lines = ["cluster1::> qos adaptive-policy-group show"]
    if minimum:
        lines += [
            "                         Expected     Peak         Minimum   Block",
            "Name         Vserver  Wklds  IOPS         IOPS         IOPS      Size",
            "------------ -------- ------ ------------ ------------ --------- -----",
        ]
    else:
        lines.append("Name         Vserver  Wklds  Expected IOPS Peak IOPS")
    for item in policies:
        expected, peak = f"{item.expected}IOPS/TB", f"{item.peak}IOPS/TB"
        row = f"{item.name:<12} {item.vserver:<8} {item.workloads:<6} {expected:<12} {peak:<12}"
        lines.append(f"{row} {item.minimum}IOPS  {item.block}" if minimum else row.rstrip())
    return "\n".join([*lines, f"{len(policies)} entries were displayed.", ""]) + "\n"


def iterations(seed: int, count: int, servers: Sequence[str] = SERVERS) -> list[list[Row]]:
    """The rows of each iteration, the total first; the last server asks for more and more."""
    dice = random.Random(seed)
    made = []
    for step in range(count):
        rows = []
        for place, server in enumerate(servers):
            bully = place == len(servers) - 1
            base = 75_000 * (1 + step / max(count - 1, 1)) if bully else 75_000
            rows.append(_row(dice, server, 11_000 + place, round(base * dice.gauss(0.984, 0.002)),
                             waits=bully and step > count // 2))  # fmt: skip
        rows.sort(key=lambda row: -row.iops)
        made.append([_total(rows), *rows])
    return made


def _row(dice: random.Random, server: str, number: int, iops: int, *, waits: bool) -> Row:
    parts = [dice.randint(60, 120), dice.randint(0, 9), dice.randint(90, 160),
             dice.randint(120, 260), 0, 0, dice.randint(20, 60), 0]  # fmt: skip
    if waits:
        parts[4] = dice.randint(300, 900)
    return Row(f"{server}_vol-wid{number}", number, iops, tuple(parts))


def _total(rows: Sequence[Row]) -> Row:
    whole = sum(row.iops for row in rows)
    parts = tuple(
        round(sum(row.iops * row.parts_us[place] for row in rows) / whole)
        for place in range(len(PARTS))
    )
    return Row("-total-", None, whole, parts)


def latency_text(shown: Sequence[Sequence[Row]]) -> str:
    """``qos statistics volume latency show``."""
    heads = f"{'Workload':<24} {'ID':>6} {'Latency':>10} " + " ".join(f"{x:>10}" for x in PARTS)
    rule = " ".join(["-" * 24, "-" * 6, *["-" * 10] * (len(PARTS) + 1)])
    lines = [
        f"cluster1::> qos statistics volume latency show -iterations {len(shown)}",
        heads,
        rule,
    ]
    for rows in shown:
        for row in rows:
            cells = [row.latency_us, *row.parts_us]
            times = " ".join(f"{_time(cell):>10}" for cell in cells)
            lines.append(f"{row.name:<24} {row.number or '-':>6} {times}")
    return "\n".join([*lines, ""])


def performance_text(shown: Sequence[Sequence[Row]]) -> str:
    """``qos statistics volume performance show``."""
    lines = [
        f"cluster1::> qos statistics volume performance show -iterations {len(shown)}",
        f"{'Workload':<24} {'ID':>6} {'IOPS':>8} {'Throughput':>15} {'Latency':>10}",
        " ".join("-" * width for width in (24, 6, 8, 15, 10)),
    ]
    for rows in shown:
        for row in rows:
            rate = f"{row.iops * REQUEST_BYTES / 1024**2:.2f}MB/s"
            name = f"{row.name:<24} {row.number or '-':>6}"
            lines.append(f"{name} {row.iops:>8} {rate:>15} {_time(row.latency_us):>10}")
    return "\n".join([*lines, ""])


def _time(microseconds: int) -> str:
    if not microseconds:
        return "0ms"
    if microseconds < 1000:
        return f"{microseconds}.00us"
    return f"{microseconds / 1000:.2f}ms"


def commands_text(servers: Sequence[str] = SERVERS) -> str:
    """The commands that make the policy and give it to every server but the last."""
    policy = POLICIES[0]
    lines = [
        f"cluster1::> qos adaptive-policy-group create -policy-group {policy.name} -vserver "
        f"{policy.vserver} -expected-iops {policy.expected}IOPS/TB -peak-iops {policy.peak}IOPS/TB "
        f"-absolute-min-iops {policy.minimum}IOPS -peak-iops-allocation used-space"
    ]
    for place, server in enumerate(servers):
        given = "none" if place == len(servers) - 1 else policy.name
        lines.append(
            f"cluster1::> vol modify -vserver {VSERVER} -volume {server}_* "
            f"-qos-adaptive-policy-group {given}"
        )
    return "\n".join([*lines, ""])


def write(folder: Path, seed: int, *, count: int = 60) -> None:
    """Write ``policies.txt``, ``commands.txt``, ``latency.txt`` and ``performance.txt``.

    Options: the number of iterations of the statistics.
    """
    shown = iterations(seed, count)
    texts = {
        "policies": policies_text(),
        "commands": commands_text(),
        "latency": latency_text(shown),
        "performance": performance_text(shown),
    }
    for name, text in texts.items():
        (folder / f"{name}.txt").write_bytes(text.encode())
