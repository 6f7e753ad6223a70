"""Headers of text reports: as known, or as another release may print them; else none."""

from dataclasses import replace

import pytest

from perfkit.sources.awr.raw import Column
from perfkit.sources.awr.sections.section import Section
from perfkit.sources.awr.text_header import Heading, heading

KNOWN = ["Event", "Waits", "%Time -outs", "Total Wait Time (s)", "Waits /txn", "% DB time"]
SECTION = Section(
    "waits", "wait_events", titles=(), columns={},
    headers=("Event | Waits! | %Time -outs? | Total Wait Time (s) | Waits /txn | % DB time?",),
)  # fmt: skip


def found(*names):
    return heading("Waits", SECTION, [Column("", name) for name in names])


def test_the_known_header_with_what_may_and_must_be_blank():
    """A first column may be anything; ``?`` may be blank behind a filled cell, ``!`` never."""
    assert found(*KNOWN) == Heading(frozenset(), frozenset({1, 3, 4}), frozenset({1}))


@pytest.mark.parametrize(
    ("names", "full"),
    [
        ([*KNOWN[:2], *KNOWN[3:]], {1, 2, 3}),  # one left out
        ([*KNOWN[:2], *KNOWN[4:]], {1, 2}),  # two left out
        ([*KNOWN[:4], "Flash Reads", *KNOWN[4:]], {1, 3, 5}),  # one more
        ([*KNOWN[:4], "Flash Reads", "Flash Time", *KNOWN[4:]], {1, 3, 6}),  # two more
    ],
)
def test_a_release_may_leave_columns_out_or_add_some(names, full):
    """Of the columns that are known the marks hold where they now stand; of a new one none does."""
    assert found(*names) == Heading(frozenset(), frozenset(full), frozenset({1}))


def test_one_unknown_name_may_be_damaged_and_is_not_read():
    assert found(*KNOWN[:3], "Totl Wait Time", *KNOWN[4:]) == Heading(
        frozenset({3}), frozenset({1, 4}), frozenset({1})
    )


@pytest.mark.parametrize(
    "names",
    [
        [*KNOWN[:1], *KNOWN[4:]],  # three left out: a line of the header may be lost
        [KNOWN[0], KNOWN[2], KNOWN[1], *KNOWN[3:]],  # in another order
        [*KNOWN[:3], "Totl Wait Time", "Wats /txn", KNOWN[5]],  # two unknown names
        [*KNOWN[:3], "", *KNOWN[4:]],  # a column without a name
        [*KNOWN[:2], "Flash Reads", *KNOWN[3:5]],  # one unknown, one left out
        [*KNOWN, KNOWN[1]],  # a name twice
    ],
)
def test_any_other_header_is_none(names):
    """Which number stands in which column is then not certain."""
    assert found(*names) is None


def test_of_few_columns_none_may_be_unknown():
    """Two columns in agreement are too few to say which the third one is."""
    memory = replace(SECTION, headers=("Memory | Begin | End",))
    columns = [Column("", name) for name in ("Memory", "Begn", "End")]
    assert heading("Waits", memory, columns) is None
