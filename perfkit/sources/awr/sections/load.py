"""Load Profile, instance activity, and the system statistics of RAC."""

from __future__ import annotations

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.sections.section import (
    EVERY,
    INSTANCE,
    RAC,
    Columns,
    Section,
    begin_and_end,
    columns,
)

RATES = columns(
    words={"statistic": "statistic"},
    number={
        "total": "total",
        "per_s": "persecond",
        "per_transaction": "pertrans pertransaction",
        "per_hour": "perhour",
        "begin_value": "beginvalue",
        "end_value": "endvalue",
        "mean_per_s": "persecond|average average",
        "std_per_s": "persecond|stddev stddev",
        "min_per_s": "persecond|min min",
        "max_per_s": "persecond|max max",
    },
)


def _system(suffix: str, tail: str) -> Columns:
    """The columns of RAC's system statistics; Size (k) is in multiples of 1024."""
    names = {
        "logical_reads_blocks": "logicalreads",
        "physical_reads_blocks": "physicalreads",
        "physical_writes_blocks": "physicalwrites",
        "block_changes": "blockchanges",
        "user_calls": "usercalls",
        "executes": "execs",
        "parses": "parses",
        "logons": "logons",
        "transactions": "txns",
    }
    redo = columns(kilobytes={f"redo_bytes{tail}": f"redosize(k){suffix}"})
    numbers = {f"{ours}{tail}": f"{name}{suffix}" for ours, name in names.items()}
    return {**columns(words={"i#": "i#"}, number=numbers), **redo}


SECTIONS: tuple[Section, ...] = (
    Section(
        "load_profile", ("load_profile",), "load_profile",
        titles=("Load Profile",),
        summaries=("This table displays load profile",),
        required=("persecond", "pertransaction"),
        signatures=(
            ("persecond", "pertransaction", "redosize"),
            ("persecond", "pertransaction", "redosize(bytes)"),
        ),
        columns=columns(
            number={
                "per_s": "persecond", "per_transaction": "pertransaction", "per_exec": "perexec",
                "per_call": "percall",
            },
        ),
        ignored=("", "loadprofile"),
        headers=(
            "Load Profile | Per Second? | Per Transaction? | Per Exec? | Per Call?",
            "Load Profile | Per Second? | Per Transaction?",
            "| Per Second? | Per Transaction?",
        ),
        scopes=INSTANCE,
    ),
    Section(
        "instance_activity_key", ("instance_activity",), "activity",
        titles=("Key Instance Activity Stats",),
        summaries=("This table displays Key Instance activity statistics",),
        required=("statistic",),
        columns=RATES,
        headers=("Statistic | Total! | per Second! | per Trans!",),
    ),
    Section(
        "instance_activity", ("instance_activity",), "activity",
        titles=(
            "Instance Activity Stats", "Other Instance Activity Stats",
            "System Statistics (Global)",
        ),
        summaries=(
            "This table displays Instance activity statistics",
            "This table displays non-key Instance activity statistics",
            "System Statistics (Global)",
        ),
        required=("statistic",),
        columns=RATES,
        headers=(
            "Statistic | Total! | per Second! | per Trans!",
            "Statistic | Begin Value! | End Value!",
            "Statistic | Total! | per Hour!",
            "Statistic | Total! | per Second! | per Trans! | per Second/Average! | "
            "per Second/Std Dev | per Second/Min | per Second/Max",
        ),
        scopes=EVERY,
    ),
    Section(
        "instance_activity_absolute", ("instance_activity",), "activity",
        titles=("Instance Activity Stats - Absolute Values",),
        summaries=("This table displays absolute values of instance-related features",),
        required=("statistic",),
        columns=RATES,
        headers=("Statistic | Begin Value! | End Value!",),
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "instance_activity_thread", ("instance_activity",), "activity",
        titles=("Instance Activity Stats - Thread Activity",),
        summaries=("This table displays thread activity stats in the instance",),
        required=("statistic",),
        columns=RATES,
        headers=("Statistic | Total! | per Hour!",),
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "rac_absolute_values", ("instance_activity",), "absolute",
        headings=("System Statistics (Absolute Values)",),
        required=("i#",),
        columns=begin_and_end(
            "number",
            **{name: key(name) for name in ("Sessions", "Open Cursors", "Session Cached Cursors")},
        ),
        scopes=(RAC,),
    ),
    Section(
        "system_statistics_per_second", ("system_statistics",), "system",
        headings=("System Statistics - Per Second",),
        required=("i#",),
        columns=_system("/s", "_per_s"),
        headers=(
            "I# | Logical Reads/s | Physical Reads/s | Physical Writes/s | Redo Size (k)/s | "
            "Block Changes/s | User Calls/s | Execs/s | Parses/s | Logons/s | Txns/s",
        ),
        scopes=(RAC,),
    ),
    Section(
        "system_statistics_per_transaction", ("system_statistics",), "system",
        headings=("System Statistics - Per Transaction",),
        required=("i#",),
        columns=_system("/tx", "_per_transaction"),
        scopes=(RAC,),
    ),
    Section(
        "system_statistics", ("system_statistics",), "system",
        headings=("System Statistics",),
        required=("i#",),
        columns=_system("", ""),
        scopes=(RAC,),
    ),
)  # fmt: skip
"""Counts and rates of the whole workload."""
