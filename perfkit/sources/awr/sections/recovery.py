"""Redo, log files and checkpoints: what recovery would take, and why buffers were written."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import HOST_WIDE, Section, columns

_RECOVERY = columns(
    snapshot={"snapshot": ""},
    seconds={"target_mttr_s": "targtmttr", "estimated_mttr_s": "estdmttr"},
    number={
        "recovery_estimated_ios": "recoveryestdios",
        "actual_redo_blocks": "actualredoblks",
        "target_redo_blocks": "targetredoblks",
        "log_size_redo_blocks": "logszredoblks logfilesizeredoblks",
        "log_checkpoint_timeout_redo_blocks": "logckpttimeoutredoblks",
        "log_checkpoint_interval_redo_blocks": "logckptintervalredoblks",
        "estimated_rac_available_time_s": "estdracavailtime",
    },
    megabytes={"optimal_log_size_bytes": "optlogsz(m)"},
)

_CHECKPOINTS = columns(
    number={
        "mttr_writes": "mttrwrites",
        "log_size_writes": "logsizewrites",
        "log_checkpoint_writes": "logckptwrites",
        "other_settings_writes": "othersettingswrites",
        "autotune_writes": "autotuneckptwrites",
        "thread_writes": "threadckptwrites",
    },
)

_ADVICE = columns(
    seconds={"target_mttr_s": "sizeforest"},
    number={
        "dirty_limit_buffers": "dirtylimit",
        "cache_writes": "estcachewrites",
        "cache_writes_factor": "estcachewritefctr",
        "total_writes": "esttotalwrites",
        "total_writes_factor": "esttotalwritefctr",
        "total_ios": "esttotalios",
        "total_ios_factor": "esttotaliofctr",
    },
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "instance_recovery", ("instance_recovery",),
        titles=("Instance Recovery Stats",),
        summaries=("This table displays instance recovery statistics at begin and end snapshot",),
        required=("estdmttr", "actualredoblks"),
        columns=_RECOVERY,
        headers=(
            "| Targt MTTR (s) | Estd MTTR (s) | Recovery Estd IOs | Actual RedoBlks | "
            "Target RedoBlks | Log Sz RedoBlks | Log Ckpt Timeout RedoBlks | "
            "Log Ckpt Interval RedoBlks | Opt Log Sz(M) | Estd RAC Avail Time",
            "| Targt MTTR (s) | Estd MTTR (s) | Recovery Estd IOs | Actual Redo Blks | "
            "Target Redo Blks | Log File Size Redo Blks | Log Ckpt Timeout Redo Blks | "
            "Log Ckpt Interval Redo Blks?",
        ),
        scopes=HOST_WIDE,
    ),
    Section(
        "checkpoint_writes", ("checkpoint_writes",),
        titles=("Checkpoint Activity",),
        summaries=("This table displays checkpoint activity statistics",),
        required=("mttrwrites", "autotuneckptwrites"),
        columns=_CHECKPOINTS,
        headers=(
            "MTTR Writes | Log Size Writes | Log Ckpt Writes | Other Settings Writes | "
            "Autotune Ckpt Writes | Thread Ckpt Writes",
        ),
        scopes=HOST_WIDE, forms=("awr",),
    ),
    Section(
        # Oracle gives Buffer Pool Advisory the same summary
        "mttr_advice", ("mttr_advice",),
        titles=("MTTR Advisory",),
        summaries=("This table displays MTTR advisory",),
        required=("dirtylimit",),
        columns=_ADVICE,
    ),
)  # fmt: skip
"""Sections of redo and checkpoints."""
