"""What schemas of an AWR reading are made of: fields by type, and whose figures a row holds."""

from __future__ import annotations

import polars as pl

from perfkit.core.schema import Field, Schema


def text(meaning: str) -> Field:
    """A column of words."""
    return Field(pl.String, None, meaning)


def number(meaning: str, unit: str | None = None) -> Field:
    """A column of numbers."""
    return Field(pl.Float64, unit, meaning)


def whole(meaning: str, unit: str | None = None) -> Field:
    """A column of whole numbers."""
    return Field(pl.Int64, unit, meaning)


def moment(meaning: str) -> Field:
    """A column of dates with times, which a report prints without a time zone."""
    return Field(pl.Datetime("us"), None, meaning)


LEVEL: Schema = {
    "level": text("instance, or cluster (all instances of the report together)"),
    "instance": whole("instance number (I#, Inst Num); null at the level of the cluster"),
}
"""Whose figures a row holds. The rows Sum, Avg, Std, Min, Max that Oracle prints are left out."""
