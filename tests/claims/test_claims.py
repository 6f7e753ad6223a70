"""No sentence says what its load points do not: random curves, read back by a reader of its own."""

import functools
import random

import pytest
from claims import changed, curves, reader, told, truth
from claims.curves import Point

CURVES = 150
"""In the usual tests; tests/bench has ten thousand."""


def case(seed):
    draw = random.Random(seed)
    points = curves.systems(draw)
    return points, told.values_asked(draw, points), draw


@functools.cache
def said_of(seed):
    """Every sentence on the curves of a case, and what is known of them; made once."""
    points, asked, _ = case(seed)
    return told.sentences(points, asked)[:2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_no_sentence_is_untrue(part):
    for seed in range(part * CURVES, (part + 1) * CURVES):
        sentences, known = said_of(seed)
        for text in sentences:
            assert reader.check(text, known) is None, (seed, text)


def test_curves_that_can_be_answered_get_a_number():
    """Silence would be no untruth either: nine in ten whole curves are told a number."""
    whole = numbered = 0
    for seed in range(CURVES):
        points, asked, _ = case(seed)
        names = {p.system for p in points}
        if not all(truth.whole(truth.curve(points, name)) for name in names):
            continue
        inside = all(
            min(p.lat for p in points if p.system == name) <= limit
            for name in names for limit in asked.limits
        )  # fmt: skip
        if not inside:
            continue
        whole += 1
        sentences, _ = said_of(seed)
        numbered += sum(" gave at least " in s or "the most that" in s for s in sentences
                        if s.startswith("Within")) == len(names)  # fmt: skip
    assert whole > CURVES / 4
    assert numbered >= 0.9 * whole


@pytest.mark.slow
def test_a_changed_word_or_number_is_found():
    """The reader reads: of sentences with one slip in them it takes at most one in twenty."""
    caught = tried = 0
    for seed in range(CURVES):
        _, _, draw = case(seed)
        sentences, known = said_of(seed)
        for text in sentences:
            tried += 1
            caught += reader.check(changed.change(draw, text), known) is not None
    assert caught >= 0.95 * tried, f"{caught} of {tried}"


SEEN = {
    "bent back": [(1, 50e3, 20e-6), (16, 401e3, 38.9e-6), (32, 350e3, 500e-6), (64, 200e3, 2e-3)],
    "falls under the limit": [(1, 100e3, 3e-3), (2, 200e3, 0.5e-3), (4, 300e3, 0.6e-3)],
    "two answers": [(1, 200e3, 0.8e-3), (2, 120e3, 2e-3)],
    "all within": [(1, 50e3, 400e-6), (2, 95e3, 800e-6)],
    "no I/O": [(1, 0.0, None), (2, 0.0, None)],
}


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize("limit", [1e-3, 500e-3])
def test_what_was_once_said_wrongly_is_said_rightly(name, limit):
    points = [Point("A", float(n), 1, x, y) for n, x, y in SEEN[name]]
    sentences, known, _ = told.sentences(points, reader.Known(points, (limit,), (1e5,), (1.0,)))
    for text in sentences:
        assert reader.check(text, known) is None, text


def test_the_reader_is_no_rubber_stamp():
    points = [Point("A", float(n), 1, x, y) for n, x, y in SEEN["bent back"]]
    known = reader.Known(points, (1e-3,), (1e5,), (1.0,))
    for untrue in (
        "At a mean latency of 1 ms, mix gave 401K IOPS (one repeat, so no interval), measured "
        "at iodepth 16.",
        "Within a mean latency of 1 ms, the most that mix gave was 350K IOPS (one repeat, so no "
        "interval), at iodepth 32, with a mean latency of 500 µs.",
        "mix did not stay within a mean latency of 1 ms at any load: its lowest mean latency was 20.0 "
        "µs, at iodepth 1, with 50,000 IOPS.",
        "mix is a fine array.",
    ):
        assert reader.check(untrue, known) is not None, untrue
