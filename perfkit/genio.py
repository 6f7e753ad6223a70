"""GenIO, Epic's load generator: runs of several servers; the names stand in ``genio.pyi``."""

from perfkit.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
