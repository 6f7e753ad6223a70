"""The same answer over many runs: histories and what became of them; names: ``trend.pyi``."""

from perfkit.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
