"""Whose figures a row of an AWR reading holds."""

from __future__ import annotations

from perfkit.core.schema import Schema, text, whole

LEVEL: Schema = {
    "level": text("instance, or cluster (all instances of the report together)"),
    "instance": whole("instance number (I#, Inst Num); null at the level of the cluster"),
}
"""Whose figures a row holds. The rows Sum, Avg, Std, Min, Max that Oracle prints are left out."""
