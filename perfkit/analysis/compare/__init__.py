"""Two or more systems side by side: what each gave where the other stood, and how sure that is."""

from perfkit.analysis.compare.pairs import compare
from perfkit.analysis.compare.scaling import usl, usl_residuals

__all__ = ["compare", "usl", "usl_residuals"]
