"""Load Profile, instance activity, and the system statistics of RAC."""

from __future__ import annotations

from perfkit.sources.awr.cells import key
from perfkit.sources.awr.sections.section import INSTANCE, PDB, RAC, SINGLE, Columns, Section

RATES: Columns = {
    "statistic": ("statistic", "words"),
    "total": ("total", "number"),
    "persecond": ("per_s", "number"),
    "pertrans": ("per_transaction", "number"),
    "pertransaction": ("per_transaction", "number"),
    "perhour": ("per_hour", "number"),
    "beginvalue": ("begin_value", "number"),
    "endvalue": ("end_value", "number"),
    "persecond|average": ("mean_per_s", "number"),
    "persecond|stddev": ("std_per_s", "number"),
    "persecond|min": ("min_per_s", "number"),
    "persecond|max": ("max_per_s", "number"),
    "average": ("mean_per_s", "number"),
    "stddev": ("std_per_s", "number"),
    "min": ("min_per_s", "number"),
    "max": ("max_per_s", "number"),
}


def _system(suffix: str, tail: str) -> Columns:
    """The columns of RAC's system statistics; Size (k) is in multiples of 1024."""
    names = {
        "logicalreads": "logical_reads_blocks",
        "physicalreads": "physical_reads_blocks",
        "physicalwrites": "physical_writes_blocks",
        "redosize(k)": "redo_bytes",
        "blockchanges": "block_changes",
        "usercalls": "user_calls",
        "execs": "executes",
        "parses": "parses",
        "logons": "logons",
        "txns": "transactions",
    }
    return {
        "i#": ("i#", "words"),
        **{
            f"{name}{suffix}": (f"{ours}{tail}", "kilobytes" if ours == "redo_bytes" else "number")
            for name, ours in names.items()
        },
    }


SECTIONS: tuple[Section, ...] = (
    Section(
        "load_profile", ("load_profile",), "load_profile",
        titles=("Load Profile",),
        summaries=("This table displays load profile",),
        needs=("persecond", "pertransaction"),
        alone=(
            ("persecond", "pertransaction", "redosize"),
            ("persecond", "pertransaction", "redosize(bytes)"),
        ),
        columns={
            "persecond": ("per_s", "number"), "pertransaction": ("per_transaction", "number"),
            "perexec": ("per_exec", "number"), "percall": ("per_call", "number"),
        },
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
        needs=("statistic",),
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
        needs=("statistic",),
        columns=RATES,
        headers=(
            "Statistic | Total! | per Second! | per Trans!",
            "Statistic | Begin Value! | End Value!",
            "Statistic | Total! | per Hour!",
        ),
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "instance_activity_absolute", ("instance_activity",), "activity",
        titles=("Instance Activity Stats - Absolute Values",),
        summaries=("This table displays absolute values of instance-related features",),
        needs=("statistic",),
        columns=RATES,
        headers=("Statistic | Begin Value! | End Value!",),
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "instance_activity_thread", ("instance_activity",), "activity",
        titles=("Instance Activity Stats - Thread Activity",),
        summaries=("This table displays thread activity stats in the instance",),
        needs=("statistic",),
        columns=RATES,
        headers=("Statistic | Total! | per Hour!",),
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "rac_absolute_values", ("instance_activity",), "absolute",
        titles=("System Statistics (Absolute Values)",),
        summaries=("System Statistics (Absolute Values)",),
        needs=("i#",),
        columns={
            "i#": ("i#", "words"),
            **{
                f"{key(group)}|{when}": (f"{group}|{when}", "number")
                for group in ("Sessions", "Open Cursors", "Session Cached Cursors")
                for when in ("begin", "end")
            },
        },
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "system_statistics_per_second", ("system_statistics",), "system",
        titles=("System Statistics - Per Second",),
        summaries=("System Statistics - Per Second",),
        needs=("i#",),
        columns=_system("/s", "_per_s"),
        headers=(
            "I# | Logical Reads/s | Physical Reads/s | Physical Writes/s | Redo Size (k)/s | "
            "Block Changes/s | User Calls/s | Execs/s | Parses/s | Logons/s | Txns/s",
        ),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "system_statistics_per_transaction", ("system_statistics",), "system",
        titles=("System Statistics - Per Transaction",),
        summaries=("System Statistics - Per Transaction",),
        needs=("i#",),
        columns=_system("/tx", "_per_transaction"),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "system_statistics", ("system_statistics",), "system",
        titles=("System Statistics",),
        summaries=("System Statistics",),
        needs=("i#",),
        columns=_system("", ""),
        scopes=(RAC,), forms=("awr",),
    ),
)  # fmt: skip
"""Counts and rates of the whole workload."""
