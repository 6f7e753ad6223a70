"""What the cover says of evidence that was not measured."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from perfkit.core.evidence import Origin
from perfkit.reporting.document.origins import notices


def told(*places):
    """The words of the cover over records whose evidence is from these places."""
    origins = [Origin("printed", place) for place in places]
    record = SimpleNamespace(lineage=SimpleNamespace(origins=lambda: origins))
    (notice,) = notices([record])
    return notice.text.partition("computed from them: ")[2]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (["TR-4784, Table 7"], "TR-4784, Table 7."),
        (["TR-4784, Table 7", "TR-4784, section 4.1, Table 4"],
         "TR-4784: Table 7; section 4.1, Table 4."),
        (["TR-4784, Table 7", "TR-4819, Table 2"], "TR-4784, Table 7; TR-4819, Table 2."),
        (["TR-4784"], "TR-4784."),
        ([f"A, Table {n}" for n in range(8)],
         "A: Table 0; Table 1; Table 2; Table 3; Table 4; Table 5; and 2 more (see the appendix)."),
    ],
)  # fmt: skip
def test_a_document_is_named_once_with_its_places(places, words):
    assert told(*places) == words
