"""The declaration of ONTAP's quality of service."""

from __future__ import annotations

from perfkit.sources.ontap import schema
from perfkit.sources.ontap.read import is_ontap_qos, read_ontap_qos
from perfkit.sources.source import Keys, Reported, Series, Source

SOURCES = (
    Source(
        "ontap-qos",
        is_ontap_qos,
        read_ontap_qos,
        "QoS policies, commands and statistics of ONTAP",
        tables={
            "qos_adaptive_policies": schema.ADAPTIVE_POLICIES,
            "qos_policies": schema.FIXED_POLICIES,
            "qos_assignments": schema.ASSIGNMENTS,
            "qos_commands": schema.QOS_COMMANDS,
            "qos_statistics": schema.QOS_STATISTICS,
        },
        table="qos_statistics",
        keys=Keys(row=("source", "line"), series=("source", "view", "scope", "name")),
        time="started_at",
        reported=Reported(joins=("oracle", "oracle_series", "oracle_pair")),
        leading={
            "qos_statistics": ("view", "scope", "iteration", "name", "iops", "latency_s"),
            "qos_adaptive_policies": ("policy", "vserver", "expected_iops", "peak_iops"),
        },
        series={"qos_statistics": Series(("view", "scope", "name"), "started_at")},
    ),
)
