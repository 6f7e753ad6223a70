"""ONTAP: adaptive QoS policies; the names stand in ``ontap.pyi``."""

from perfkit.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)
