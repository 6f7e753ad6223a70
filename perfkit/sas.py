"""SAS logs: jobs, runs, aggregates and steps; the names stand in ``sas.pyi``."""

from perfkit.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
