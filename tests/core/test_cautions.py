"""Cautions: by name and arguments, in words, and how they follow the data into every value."""

import re

import polars as pl
import pytest

import perfkit as pk
from perfkit.core.cautions import (
    SAID_BY,
    WORDS,
    caution,
    from_json,
    in_words,
    places,
    sentence,
    to_json,
    unsaid,
)
from perfkit.core.errors import AnalysisError
from perfkit.core.evidence import Evidence
from perfkit.core.lineage import Measured, measured, reading, step
from perfkit.core.schema import LOAD_POINTS, polars_schema
from perfkit.core.values import Statement, say

QUEUE = caution("saturated_queue", of="w, rate 100, repeat 1", share="21%")
BUSY = caution("busy_host", share="100%")


def full(share, of):
    return caution("saturated_queue", of=of, share=share)


def test_a_caution_is_its_name_and_arguments():
    assert QUEUE.text == "21% of the paced I/Os of w, rate 100, repeat 1 found the queue full"
    assert from_json(to_json([QUEUE, BUSY, QUEUE])) == (QUEUE, BUSY)
    assert (to_json([]), from_json(None)) == (None, ())
    with pytest.raises(AnalysisError, match="did you mean 'busy_host'"):
        caution("bussy_host", share="1%")
    with pytest.raises(AnalysisError, match="no argument 'share'"):
        caution("busy_host")


def test_what_differs_only_in_what_it_is_of_is_said_once():
    same = [full("21%", name) for name in "AB"]
    assert in_words(same) == ["21% of the paced I/Os of A and B found the queue full"]
    many = [full("21%", name) for name in "ABCDE"]
    assert in_words(many) == ["21% of the paced I/Os of 5 results found the queue full"]
    assert in_words([QUEUE, BUSY]) == [QUEUE.text, BUSY.text]
    once = [caution("one_repeat", of=name) for name in "AB"]
    assert in_words(once) == ["A and B were measured once, so there is no interval"]


def test_of_many_it_is_said_what_is_counted():
    """A curve is over many files: "5 results" beside 98 files would count something else."""
    once = [caution("one_repeat", of=name) for name in "ABCDE"]
    assert in_words(once) == ["5 curves were measured once, so there is no interval"]
    systems = [caution("one_repeat", of=name, counted="systems") for name in "ABCDE"]
    assert in_words(systems) == ["5 systems were measured once, so there is no interval"]


def test_no_place_of_a_caution_has_the_name_of_what_says_what_is_counted():
    """ "The latency of 5 2415 to 8016 is that of ..." stood on a first page."""
    assert not [name for name in WORDS if "counted" in places(name)]


def test_the_highest_of_several_is_a_range_that_reads_as_one():
    """It read "up to 246 µs to 811 µs"."""
    highest = {"A": "246 µs", "B": "811 µs"}
    told = [caution("limit_not_reached", of=name, highest=highest[name]) for name in highest]
    assert in_words(told) == [
        "B and A stayed within the limit at every load measured: 246 µs to 811 µs at most"
    ]


def test_two_numbers_of_one_caution_are_two_ranges_that_read_as_two():
    """It read "from 170 to 10,593 to 423 to 26,316 IOPS each"."""
    told = in_words(
        caution("unequal_jobs", of=of, jobs="4", least=least, most=most)
        for of, least, most in (("A", "170", "423"), ("B", "10,593", "26,316"))
    )
    assert told == [
        "the 4 jobs of B and A were meant to do the same and did not: the slowest did 170 to "
        "10,593 IOPS, the fastest 423 to 26,316"
    ]


@pytest.mark.parametrize("words", WORDS.values(), ids=list(WORDS))
def test_no_caution_has_a_range_of_two_numbers_of_its_own(words):
    """Of several results each of the two is a range: "up to" and "to" cannot stand between them."""
    assert not re.search(r"\} to \{", words)


def test_of_many_of_a_kind_the_largest_are_told():
    found = in_words([full(f"{n}%", f"p{n}") for n in (2, 90, 4, 35, 8, 16)])
    assert found == ["2% to 90% of the paced I/Os of 6 results found the queue full (most: p90)"]


def test_of_many_that_say_no_range_the_one_with_the_largest_number_is_told():
    """Words are less than any number."""
    times = {"A": "a moment", "B": "0.2 s", "C": "0.5 s", "D": "0.1 s"}
    told = in_words(caution("stall", of=name, time=times[name]) for name in times)
    assert told == ["C did no I/O for 0.5 s; and 3 more of this kind"]


def test_what_a_sentence_says_itself_does_not_stand_after_it():
    once = caution("one_repeat", of="A")
    assert sentence([once, BUSY]) == (
        "Caution: A was measured once, so there is no interval; the host was 100% busy before the "
        "run."
    )
    assert unsaid([once, BUSY], "A gave 5 IOPS (one repeat, so no interval).") == [BUSY]
    assert unsaid([once], "A gave 5 IOPS (A was measured once, so there is no interval).") == []
    # another sentence about the same answer does not say it
    assert unsaid([once, BUSY], "A gave 5 IOPS.") == [once, BUSY]
    assert sentence([]) == ""
    assert set(WORDS) > set(SAID_BY)


# --- with the data ----------------------------------------------------------------------------


def points(*told, **evidence):
    frame = pl.DataFrame({"n": list(range(len(told))),
                          "cautions": [to_json(items) for items in told]},
                         schema={"n": pl.Int64, "cautions": pl.String})  # fmt: skip
    found = Evidence("fio", "a.json", "11", **evidence)
    return reading("tests.read", 1, {"points": frame}, found)["points"]


@step(version=1, name="tests.forgetful")
def forgetful(data: Measured) -> pl.DataFrame:
    """An analysis that drops the column."""
    return data.frame.select("n")


@step(version=1, name="tests.shown")
def shown(data: Measured) -> Statement:
    return say("n", "there is something")


@step(version=1, name="tests.knowing")
def knowing(data: Measured) -> Statement:
    """A maker that says which of the data's cautions touch the value."""
    return Statement("n", "there is something", cautions=(BUSY,))


def test_cautions_follow_the_rows_into_the_value_and_its_record():
    data = points([QUEUE], [BUSY], [])
    assert shown(data).cautions == (QUEUE, BUSY)
    assert shown(data).record()["cautions"] == [QUEUE.record(), BUSY.record()]
    assert shown(data.filter(n=1)).cautions == (BUSY,)
    assert shown(data.filter(n=2)).cautions == ()
    assert "cautions" not in shown(data.filter(n=2)).record()


def test_an_analysis_that_forgets_the_column_does_not_lose_them():
    assert shown(forgetful(points([QUEUE], []))).cautions == (QUEUE,)
    assert shown(forgetful(points([QUEUE], []).filter(n=1))).cautions == ()


def test_a_maker_can_say_which_of_them_touch_the_value():
    assert knowing(points([QUEUE], [BUSY])).cautions == (BUSY,)


def test_a_form_that_met_no_real_file_is_told_beside_every_value():
    data = points([], unverified=True)
    assert [item.name for item in shown(data).cautions] == ["unverified_dialect"]
    part = Evidence("fio", "b.json", "22", unverified=True)
    assert [item.name for item in shown(points([], parts=(part,))).cautions] == [
        "unverified_dialect"
    ]


def test_a_bare_frame_has_its_cautions_too():
    assert shown(measured(points([QUEUE]).frame)).cautions == (QUEUE,)


def test_cautions_are_part_of_what_is_shown():
    """Taken out of a record, its hash does not fit any more."""
    bare, told = shown(points([])), shown(points([QUEUE]))
    assert bare.content_hash() != told.content_hash()


def test_a_value_says_them_where_it_shows_itself():
    data = points([QUEUE])
    assert shown(data)._repr_mimebundle_()["text/plain"] == (
        f"there is something Caution: {QUEUE.text}."
    )


def test_the_cautions_of_a_statement_of_answers_are_those_of_its_own_answers():
    rows = [
        {"workload": "w", "load_kind": "iodepth", "load": load, "repeat": 1, "direction": "total",
         "iops": iops, "lat_mean_s": late, "cautions": to_json(told)}
        for load, iops, late, told in (
            (1.0, 1e4, 1e-3, [BUSY]), (2.0, 2e4, 2e-3, [QUEUE]), (4.0, 3e4, 3e-3, []))
    ]  # fmt: skip
    data = measured(pl.DataFrame(rows, schema=polars_schema(LOAD_POINTS)), "points")
    (lowest,) = pk.say(pk.lowest_latency(data))
    assert BUSY in lowest.cautions
    assert QUEUE not in lowest.cautions
    assert lowest.caution == f"Caution: {BUSY.text}."


def test_of_three_the_names_stand_there_and_no_largest():
    found = in_words([full(f"{n}%", f"p{n}") for n in (2, 90, 4)])
    assert found == ["2% to 90% of the paced I/Os of p90, p4 and p2 found the queue full"]
