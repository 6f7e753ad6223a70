"""Redo, log files and checkpoints: what recovery would take, and why buffers were written."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import HOST_WIDE, Columns, Section

_RECOVERY: Columns = {
    "": ("snapshot", "snapshot"),
    "targtmttr": ("target_mttr_s", "seconds"),
    "estdmttr": ("estimated_mttr_s", "seconds"),
    "recoveryestdios": ("recovery_estimated_ios", "number"),
    "actualredoblks": ("actual_redo_blocks", "number"),
    "targetredoblks": ("target_redo_blocks", "number"),
    "logszredoblks": ("log_size_redo_blocks", "number"),
    "logfilesizeredoblks": ("log_size_redo_blocks", "number"),
    "logckpttimeoutredoblks": ("log_checkpoint_timeout_redo_blocks", "number"),
    "logckptintervalredoblks": ("log_checkpoint_interval_redo_blocks", "number"),
    "optlogsz(m)": ("optimal_log_size_bytes", "megabytes"),
    "estdracavailtime": ("estimated_rac_available_time_s", "number"),
}

_CHECKPOINTS: Columns = {
    "mttrwrites": ("mttr_writes", "number"),
    "logsizewrites": ("log_size_writes", "number"),
    "logckptwrites": ("log_checkpoint_writes", "number"),
    "othersettingswrites": ("other_settings_writes", "number"),
    "autotuneckptwrites": ("autotune_writes", "number"),
    "threadckptwrites": ("thread_writes", "number"),
}

_ADVICE: Columns = {
    "sizeforest": ("target_mttr_s", "seconds"),
    "dirtylimit": ("dirty_limit_buffers", "number"),
    "estcachewrites": ("cache_writes", "number"),
    "estcachewritefctr": ("cache_writes_factor", "number"),
    "esttotalwrites": ("total_writes", "number"),
    "esttotalwritefctr": ("total_writes_factor", "number"),
    "esttotalios": ("total_ios", "number"),
    "esttotaliofctr": ("total_ios_factor", "number"),
}

SECTIONS: tuple[Section, ...] = (
    Section(
        "instance_recovery", ("instance_recovery",),
        titles=("Instance Recovery Stats",),
        summaries=("This table displays instance recovery statistics at begin and end snapshot",),
        needs=("estdmttr", "actualredoblks"),
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
        needs=("mttrwrites", "autotuneckptwrites"),
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
        needs=("dirtylimit",),
        columns=_ADVICE,
    ),
)  # fmt: skip
"""Sections of redo and checkpoints."""
