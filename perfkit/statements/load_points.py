"""What a run says beside its curves: drain cycles, the verdict, the host."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from perfkit.analysis.cycles import FEWEST_CYCLES, LABEL
from perfkit.analysis.series import Row, rows_with
from perfkit.lineage import Measured, step
from perfkit.sentences import Text
from perfkit.units import format_size

if TYPE_CHECKING:
    from perfkit.values import Statement

ONE = 1


rows_of = functools.partial(rows_with, otherwise="nothing to say")


@step(version=1, name="say.cycles")
def say_cycles(drains: Measured, *, value_id: str = "drain-cycles") -> Statement:
    """The longest drain and the number of cycles, from ``drain_summary``; never called GenIO."""
    rows = rows_of(drains, "drains", ("workload", "load", "cycles", "drain_longest_s", "judgeable"))
    text = Text()
    said = [_cycle_words(text, row) for row in rows]
    return text.done(value_id, [*said, f"The workload is {LABEL}."])


def _cycle_words(text: Text, row: Row) -> str:
    load = text.load(row["load_kind"], row["load"])
    where = f"At {load}" + (f", repeat {text.count(row['repeat'])}" if row["repeat"] else "")
    if row["drain_longest_s"] is None:
        return f"{where}, no drain was completed."
    planned = text.many(row["cycles_planned"], "drain", "drains")
    longest = text.value("drain_longest_s", row["drain_longest_s"])
    short = "" if row["judgeable"] else (
        f"; no verdict on fewer than {text.count(FEWEST_CYCLES)} cycles"
        if row["cycles"] < FEWEST_CYCLES
        else "; no verdict, because a planned drain did not happen"
    )  # fmt: skip
    return (
        f"{where}, {text.count(row['cycles'])} of {planned} completed, the longest in "
        f"{longest}{short}."
    )


@step(version=1, name="say.host")
def say_host(host: Measured, *, value_id: str = "host") -> Statement:
    """What the load ran on, from the run's ``host`` facts; a fact that is missing is left out."""
    rows = rows_of(host, "host", ("group", "fact", "value"))
    facts = {(row["group"], row["fact"]): row["value"] for row in rows if row["value"]}
    text = Text()
    threads = facts.get(("host", "cpu_threads"))
    memory = facts.get(("host", "memory_bytes"))
    parts = [
        _known(text, "{} logical CPUs" if threads != "1" else "{} logical CPU", threads),
        _known(text, "({})", facts.get(("host", "cpu_model"))),
        _known(text, "and {} of memory", format_size(int(memory)) if memory else None),
        _known(text, "under {}", facts.get(("host", "os"))),
        _known(text, "with kernel {}", facts.get(("host", "kernel"))),
    ]
    known = " ".join(part for part in parts if part)
    if not known:
        return text.done(value_id, ["The facts of the host were not recorded."])
    virtual = facts.get(("host", "virtual_machine"), "").lower() == "true"
    return text.done(
        value_id, [f"The load ran on {'a virtual machine' if virtual else 'a host'} with {known}."]
    )


def _known(text: Text, words: str, fact: str | None) -> str:
    return words.format(text(fact)) if fact else ""
