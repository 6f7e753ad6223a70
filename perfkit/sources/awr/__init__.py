"""Oracle AWR and Statspack reports: two front ends, one set of sections, tidy tables."""

from __future__ import annotations

from perfkit.sources.awr.read import read_awr

__all__ = ["read_awr"]
