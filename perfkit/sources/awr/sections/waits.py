"""Wait events and classes, and their histograms."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import EVERY, INSTANCE, RAC, Section, columns

WAITS = columns(
    words={"i#": "i#", "event": "event"},
    wait_class={"wait_class": "wait|class waitclass class"},
    count={"waits": "waits"},
    percent={
        "timeouts_ratio": "%time-outs %timeouts %timout",
        "db_time_ratio": "%dbtime %totalcalltime %totalelatime",
        "bg_time_ratio": "%bgtime",
    },
    seconds={
        "total_wait_s": "totalwaittime waittime total time",
        "avg_wait_s": "avgwait avgwaittime waitavg waittime|avg",
        "instances_avg_s": "avg",
        "instances_min_s": "min",
        "instances_max_s": "max",
        "instances_std_s": "stddev",
    },
    number={"waits_per_transaction": "waits/txn", "average_active_sessions": "avgactivesessions"},
    whole={"instances_count": "cnt"},
)
_BACKGROUND = {**WAITS, **columns(percent={"bg_time_ratio": "%dbtime"})}
"""The RAC table of background events calls its share %DB time; it is of background time."""

_GLOBAL_BACKGROUND = {**WAITS, **columns(number={"bg_time_ratio": "%bgtime"})}
"""The whole list of a cluster prints fractions below that name (six real reports of 19c)."""

_HISTOGRAM_SUMMARY = "This table displays total number of waits, and information about total wait"

_RAC_CLASSES = columns(
    words={"i#": "i#"},
    number={
        "User I/O": "useri/o",
        "System I/O": "sysi/o",
        "Other": "other",
        "Application": "applic",
        "Commit": "commit",
        "Network": "network",
        "Concurrency": "concurcy",
        "Configuration": "config",
        "Cluster": "cluster",
        "Administrative": "admin",
        "Scheduler": "scheduler",
        "DB CPU": "dbcpu",
    },
)

_WAITS_HEADER = "Waits | %Time -outs | Total Wait Time (s) | Avg wait{} | Waits /txn"
_RAC_HEADER = (
    "Wait/Class | Wait/Event | Event/Waits | Event/%Timeouts | Wait Time/Total(s) | "
    "Wait Time/Avg Wait | Wait Time/{} | Summary Avg Wait Time/Avg | Summary Avg Wait Time/Min | "
    "Summary Avg Wait Time/Max | Summary Avg Wait Time/Std Dev?"
)
_STATSPACK_HEADER = (
    "Event | Waits | %Tim out | Total Wait Time (s) | Avg wait (ms) | Waits /txn | %Total Call Time"
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "top_events", ("top_events",),
        titles=(
            "Top 5 Timed Events", "Top 5 Timed Foreground Events", "Top Timed Events",
            "Top 10 Foreground Events by Total Wait Time", "Top 10 Timed Events",
        ),
        summaries=(
            "This table displays top 10 wait events by total wait time",
            "This table displays top 5", "Top 5 Timed", "Top Timed Events",
        ),
        required=("event", "waits"),
        columns=WAITS,
        title_headers={
            "Top 5 Timed Events": (
                "Event | Waits | Time (s) | Avg wait (ms) | %Total Call Time | Wait Class",
                "Event | Waits | Time (s) | Avg wait (ms) | %Total Call Time",
            ),
            "Top 5 Timed Foreground Events": (
                "Event | Waits | Time(s) | Avg wait (ms) | % DB time | Wait Class",
                "Event | Waits | Time (s) | Avg wait (ms) | % DB time | Wait Class",
            ),
            "Top 10 Foreground Events by Total Wait Time": (
                "Event | Waits | Total Wait Time (sec) | Wait Avg(ms) | % DB time | Wait Class",
                "Event | Waits | Total Wait Time (sec) | Avg Wait | % DB time | Wait Class",
            ),
        },
        constants={"scope": ""},
        scopes=EVERY,
    ),
    Section(
        "top_foreground_events", ("top_events",),
        headings=("Top Timed Foreground Events",),
        required=("i#", "event"),
        columns=WAITS,
        constants={"scope": "foreground"},
        scopes=(RAC,),
    ),
    Section(
        "top_background_events", ("top_events",),
        headings=("Top Timed Background Events",),
        required=("i#", "event"),
        columns=_BACKGROUND,
        constants={"scope": "background"},
        scopes=(RAC,),
    ),
    Section(
        "wait_classes_by_time", ("wait_classes",),
        titles=("Wait Classes by Total Wait Time",),
        summaries=("This table displays wait class statistics ordered by total wait time",),
        required=("waitclass", "waits"),
        columns=WAITS,
        headers=(
            "Wait Class | Waits | Total Wait Time (sec) | Avg Wait (ms) | % DB time | "
            "Avg Active Sessions!",
            "Wait Class | Waits | Total Wait Time (sec) | Avg Wait Time | % DB time | "
            "Avg Active Sessions!",
        ),
        constants={"scope": "all"},
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "wait_classes", ("wait_classes",),
        titles=("Wait Class",),
        summaries=("This table displays wait class statistics",),
        required=("waitclass", "waits"),
        columns=WAITS,
        title_headers={
            "Wait Class": (f"Wait Class | {_WAITS_HEADER.format(' (ms)')}",),
        },
        constants={"scope": "all"},
    ),
    Section(
        "foreground_wait_classes", ("wait_classes",),
        titles=("Foreground Wait Class",),
        summaries=("This table displays foreground wait class statistics",),
        required=("waitclass", "waits"),
        columns=WAITS,
        headers=(
            "Wait Class | Waits | %Time -outs | Total Wait Time (s) | Avg wait (ms) | %DB time",
            "Wait Class | Waits | %Time -outs | Total Wait Time (s) | Avg wait | %DB time",
        ),
        constants={"scope": "foreground"},
        scopes=INSTANCE, forms=("awr",),
    ),
    Section(
        "rac_wait_class_shares", ("wait_classes",), "class_shares",
        headings=(
            "Foreground Wait Classes - % of Total DB time",
            "Foreground Wait Classes - % of DB time",
        ),
        required=("useri/o",),
        columns=_RAC_CLASSES,
        ignored=("", "%totaldbtime"),
        scopes=(RAC,),
    ),
    Section(
        "rac_wait_classes", ("wait_classes",), "class_times",
        headings=("Foreground Wait Classes",),
        required=("i#", "useri/o"),
        columns=_RAC_CLASSES,
        ignored=("dbtime",),
        scopes=(RAC,),
    ),
    Section(
        "foreground_wait_events", ("wait_events",),
        titles=("Foreground Wait Events", "Foreground Wait Events (Global)"),
        summaries=(
            "This table displays Foreground Wait Events",
            "This table displays foreground wait event",
        ),
        required=("event", "waits"),
        columns=WAITS,
        headers=(
            f"Event | {_WAITS_HEADER.format(' (ms)')} | % DB time",
            f"Event | {_WAITS_HEADER.format('')} | % DB time",
            _RAC_HEADER.format("%DB time"), _STATSPACK_HEADER,
        ),
        constants={"scope": "foreground"},
        scopes=EVERY,
    ),
    Section(
        "background_wait_events", ("wait_events",),
        titles=("Background Wait Events",),
        summaries=("This table displays background wait event",),
        required=("event", "waits"),
        columns=WAITS,
        headers=(
            f"Event | {_WAITS_HEADER.format(' (ms)')} | % bg time",
            f"Event | {_WAITS_HEADER.format('')} | % bg time",
            f"Event | {_WAITS_HEADER.format(' (ms)')}", _STATSPACK_HEADER,
        ),
        constants={"scope": "background"},
        scopes=INSTANCE,
    ),
    Section(
        "background_wait_events", ("wait_events",),
        titles=("Background Wait Events (Global)",),
        summaries=("This table displays background wait event information",),
        required=("event", "waits"),
        columns=_GLOBAL_BACKGROUND,
        headers=(_RAC_HEADER.format("%bg time"),),
        constants={"scope": "background"},
        scopes=(RAC,),
    ),
    Section(
        "wait_events", ("wait_events",),
        titles=("Wait Events (fg and bg)", "Wait Events"),
        summaries=("This table displays wait events statistics", "Wait Events"),
        required=("event", "waits"),
        columns=WAITS,
        title_headers={
            "Wait Events": (f"Event | {_WAITS_HEADER.format(' (ms)')}",),
            "Wait Events (fg and bg)": (_STATSPACK_HEADER,),
        },
        constants={"scope": "all"},
    ),
    Section(
        "event_histogram", ("event_histogram",), "histogram",
        titles=("Wait Event Histogram", "Wait Event Histogram *", "Wait Event Histogram (Global)"),
        summaries=(
            _HISTOGRAM_SUMMARY, "This table displays wait event histogram information",
        ),
        required=("event",),
        columns=columns(words={"event": "event"}),
        scopes=EVERY,
    ),
)  # fmt: skip
"""Top events, classes, all events, histograms."""
