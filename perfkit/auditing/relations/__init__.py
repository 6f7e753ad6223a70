"""Whether the printed numbers of a document agree with each other.

``audit`` takes printed cells and relations between them: declared ones of a study (``Relation``),
or any others of that form. Each is evaluated exactly on what is printed, and in intervals over
what the rounding of the inputs allows.
"""

from perfkit.auditing.relations.relation import Relation
from perfkit.auditing.relations.run import audit

__all__ = ["Relation", "audit"]
