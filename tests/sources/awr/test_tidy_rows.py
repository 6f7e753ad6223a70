"""Tables of a report as columns: which rows are kept, and what is told of those that are not."""

import pytest

from perfkit.sources.awr.tidy.context import UnreadError, columns_of, rows_of, size_of, where


def test_rows_without_their_name_are_left_out_of_every_column():
    data = {"event": ["a", None, "b"], "waits": [1.0, 2.0, None]}
    assert where(data, "event") == {"event": ["a", "b"], "waits": [1.0, None]}
    assert where(data, "waits") == {"event": ["a", None], "waits": [1.0, 2.0]}
    whole = {"event": ["a", "b"], "waits": [None, 2.0]}
    assert where(whole, "event") == whole
    assert where({"event": [None]}, "event") == {"event": []}
    with pytest.raises(UnreadError, match="no column of its name is known"):
        where(data, "name")


def test_rows_and_columns_are_the_same_data_in_either_order():
    rows = [("a", 1.0), ("b", 2.0)]
    data = columns_of(("event", "waits"), rows)
    assert data == {"event": ["a", "b"], "waits": [1.0, 2.0]}
    assert rows_of(data, [1]) == {"event": ["b"], "waits": [2.0]}
    assert columns_of(("event", "waits"), []) == {"event": [], "waits": []}
    assert (size_of(data), size_of({"event": []}), size_of({})) == (2, 0, 0)
