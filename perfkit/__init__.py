"""Read, run, analyse and report storage benchmarks.

``import perfkit as pk`` costs nothing: each verb imports its module when it is first used. The
public names stand in ``__init__.pyi``; those of one tool in ``awr.pyi``, ``genio.pyi``,
``ontap.pyi`` and ``sas.pyi`` (``pk.awr`` ...).
"""

from perfkit.core.lazy import attach, show_in_notebooks

__getattr__, __dir__, __all__ = attach(__name__)
show_in_notebooks("perfkit.core.lineage", "Measured", by="perfkit.exploring.frames")
