"""Facts about a host that shape a result: system, CPU, memory, clock and background load."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from perfkit.measure.probe.read import (
    Facts,
    Names,
    Text,
    chosen,
    entries,
    flag,
    lines,
    number,
    own,
    text,
)

CPUS = "sys/devices/system/cpu"
CLOCK = "sys/devices/system/clocksource/clocksource0"
BACKGROUND_S = 0.1
"""How long the processors are watched for what runs beside the load."""

_OPTIONS = re.compile(
    r"^(intel_idle|processor|idle|mitigations|isolcpus|nohz|nohz_full|rcu_nocbs|hugepages"
    r"|default_hugepagesz|transparent_hugepage|scsi_mod|nvme|nvme_core|dm_mod|elevator|iommu"
    r"|intel_iommu|amd_iommu|amd_pstate|intel_pstate|tsc|clocksource|numa_balancing|nosmt|pcie_aspm)"
    r"([.=]|$)"
)
"""Options of the kernel's command line that change how fast I/O is."""


def machine(root: Path, *, background_s: float = BACKGROUND_S) -> Facts:
    """The host's facts by name; a list where there are several of a thing, null where unknown."""
    return {
        "hostname": text(root / "proc/sys/kernel/hostname"),
        **_system(root),
        **cpu(root),
        **_memory(root),
        "clock_source": text(root / CLOCK / "current_clocksource"),
        "tuned_profile": text(root / "etc/tuned/active_profile"),
        "io_uring_disabled": number(root / "proc/sys/kernel/io_uring_disabled"),
        "aio_max_nr": number(root / "proc/sys/fs/aio-max-nr"),
        **_background(root, background_s),
    }


def _system(root: Path) -> Facts:
    release, kind = text(root / "proc/sys/kernel/osrelease"), text(root / "proc/sys/kernel/ostype")
    words = [text(root / "sys/class/dmi/id" / name) for name in ("sys_vendor", "product_name")]
    options = (text(root / "proc/cmdline") or "").split()
    return {
        "kernel": f"{kind} {release}" if kind and release else None,
        "kernel_options": " ".join(o for o in options if _OPTIONS.match(o)) or None,
        "os": os_name(lines(root / "etc/os-release")),
        "architecture": os.uname().machine if own(root) else None,
        "product": " ".join(word for word in words if word) or None,
        "firmware": text(root / "sys/class/dmi/id/bios_version"),
    }


def os_name(os_release: Names) -> Text:
    """The PRETTY_NAME of /etc/os-release."""
    for line in os_release:
        key, _, value = line.partition("=")
        if key == "PRETTY_NAME":
            return value.strip().strip('"') or None
    return None


def cpu(root: Path) -> Facts:
    """Model, counts, frequency policy, turbo and idle states of the processors."""
    cpuinfo = [line.partition(":") for line in lines(root / "proc/cpuinfo")]
    fields = [(key.strip(), value.strip()) for key, _, value in cpuinfo]
    models = [value for key, value in fields if key == "model name"]
    flags = [value.split() for key, value in fields if key == "flags"]
    cpus = [root / CPUS / name for name in entries(root / CPUS) if re.match(r"cpu\d+$", name)]
    online = [place for place in cpus if number(place / "online") != 0]
    topology = [
        (number(place / "topology/physical_package_id"), number(place / "topology/core_id"))
        for place in online
    ]
    known = [pair for pair in topology if pair[0] is not None and pair[1] is not None]
    policies = [place / "cpufreq" for place in online]
    return {
        "cpu_model": models[0] if models else None,
        "cpu_sockets": len({socket for socket, _ in known}) or None,
        "cpu_cores": len(set(known)) or None,
        "cpu_threads": len(online) or None,
        "cpu_smt": text(root / CPUS / "smt/control"),
        "cpu_microcode": next((value for key, value in fields if key == "microcode"), None),
        "cpu_governor": counted([text(place / "scaling_governor") for place in policies]),
        "cpu_energy_preference": counted(
            [text(place / "energy_performance_preference") for place in policies]
        ),
        "cpu_frequency_driver": counted([text(place / "scaling_driver") for place in policies]),
        "cpu_lowest_hz": min(_hertz(policies, "scaling_min_freq"), default=None),
        "cpu_highest_hz": max(_hertz(policies, "scaling_max_freq"), default=None),
        "cpu_turbo": turbo(root),
        "cpu_idle_driver": text(root / CPUS / "cpuidle/current_driver"),
        "cpu_idle_states": idle_states(online),
        "cpu_isolated": text(root / CPUS / "isolated"),
        "virtual_machine": "hypervisor" in flags[0] if flags else None,
    }


def counted(values: list[Text]) -> Text:
    """What several places say: one word where they agree, else each with how often it stands."""
    said = [value for value in values if value is not None]
    if not said:
        return None
    if len(set(said)) == 1 and len(said) == len(values):
        return said[0]
    return ", ".join(f"{word} ({said.count(word)})" for word in sorted(set(said)))


def turbo(root: Path) -> bool | None:
    """Whether the processors may clock above their nominal frequency."""
    forbidden = flag(root / CPUS / "intel_pstate/no_turbo")
    return flag(root / CPUS / "cpufreq/boost") if forbidden is None else not forbidden


def idle_states(cpus: list[Path]) -> Text:
    """The idle states that are enabled, from the lightest; those disabled stand in brackets."""
    said = []
    for place in cpus:
        states = sorted(entries(place / "cpuidle"), key=lambda name: int(name[5:] or 0))
        names = [
            (text(place / "cpuidle" / s / "name"), flag(place / "cpuidle" / s / "disable"))
            for s in states
        ]
        shown = [f"({name})" if disabled else name for name, disabled in names if name]
        said.append(", ".join(shown) or None)
    return counted(said)


def _hertz(policies: list[Path], name: str) -> list[int]:
    found = [number(place / name) for place in policies]
    # /sys gives kHz
    return [value * 1000 for value in found if value is not None]


def _memory(root: Path) -> Facts:
    pairs = [line.partition(":") for line in lines(root / "proc/meminfo")]
    kibibytes = {key: value.split()[0] for key, _, value in pairs if value.strip()}
    huge = "sys/kernel/mm/transparent_hugepage"
    nodes = [n for n in entries(root / "sys/devices/system/node") if re.match(r"node\d+$", n)]
    balancing = number(root / "proc/sys/kernel/numa_balancing")

    def size(name: str) -> int | None:
        return int(kibibytes[name]) * 1024 if kibibytes.get(name, "").isdecimal() else None

    pages = kibibytes.get("HugePages_Total", "")
    return {
        "memory_bytes": size("MemTotal"),
        "memory_free_bytes": size("MemAvailable"),
        "swap_bytes": size("SwapTotal"),
        "huge_pages": int(pages) if pages.isdecimal() else None,
        "transparent_huge_pages": chosen(root / huge / "enabled"),
        "transparent_huge_pages_defrag": chosen(root / huge / "defrag"),
        "numa_nodes": len(nodes) or None,
        "numa_balancing": None if balancing is None else bool(balancing),
    }


def _background(root: Path, seconds: float) -> Facts:
    load = (text(root / "proc/loadavg") or "").split()
    before = _ticks(root)
    if seconds and before:
        time.sleep(seconds)
    after = _ticks(root)
    spent = [new - old for old, new in zip(before, after)]
    # the fourth and fifth are idle and waiting for I/O; guests' time stands in user and nice too
    whole = sum(spent[:8])
    busy = (whole - sum(spent[3:5])) / whole if whole > 0 else None
    return {
        "background_cpu_busy_ratio": None if busy is None else round(busy, 4),
        "background_load_1_min": float(load[0]) if load else None,
        "background_load_15_min": float(load[2]) if len(load) > 2 else None,
    }


def _ticks(root: Path) -> list[int]:
    """The first line of /proc/stat: ticks of all CPUs by state (proc_stat(5))."""
    first = (lines(root / "proc/stat") or [""])[0].split()
    return [int(word) for word in first[1:]] if first[:1] == ["cpu"] else []
