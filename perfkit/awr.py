"""Oracle AWR and Statspack reports; the names stand in ``awr.pyi``."""

from perfkit.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
