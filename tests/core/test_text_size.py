"""Names in lines of a width: nothing is lost but the middle of what is too long."""

from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.text_size import MOST_LINES, lines_of, shortened, width_of

NAMES = st.lists(st.text("abiMW._/-", min_size=1, max_size=30), min_size=1, max_size=3)


@given(NAMES, st.integers(40, 400))
def test_lines_are_no_wider_than_asked_for_and_hold_every_letter(words, px):
    """A word wider than a line is broken, and no letter of it is left out."""
    text = " ".join(words)
    found = lines_of(text, px)
    assert all(width_of(line) <= px for line in found)
    assert len(found) <= MOST_LINES
    if "…" not in found[-1]:
        assert "".join(found).replace(" ", "") == text.replace(" ", "")
    else:  # the end of it, and the lines before
        kept = "".join(found[:-1]).replace(" ", "")
        assert text.replace(" ", "").startswith(kept)
        assert text.endswith(found[-1].removeprefix("…"))


def test_a_word_is_broken_where_the_line_is_full():
    """Ten letters of one width in room for four: 4, 4 and 2."""
    room = width_of("mmmm")
    assert lines_of("mmmmmmmmmm", room) == ["mmmm", "mmmm", "mm"]
    assert lines_of("mmmm mmmm", room) == ["mmmm", "mmmm"]
    assert lines_of("mm mm", room) == ["mm", "mm"]
    assert lines_of("m m", room) == ["m m"]


def test_what_does_not_fit_keeps_its_end():
    room = width_of("…mmm")
    assert shortened("mmmm", width_of("mmmm")) == "mmmm"
    assert shortened("xyzmmm", room) == "…mmm"
    assert shortened("mm", room, whole=False) == "…mm"
