"""No headline says more than its load points do: random curves against plain arithmetic."""

import random
import re

import pytest
from claims import curves, facts, told

import perfkit as pk
from perfkit.core.answers import ANSWERS, from_frame
from perfkit.core.findings import answers_found

CURVES = 120
NUMBER = r"((?:at least |at most )?)([\d,.]+)(K|M)? IOPS"
TIMES = {"": 1.0, "K": 1e3, "M": 1e6}
BOUNDS = {"=": "", ">=": "at least ", "<=": "at most "}


def cases(part):
    for seed in range(part * CURVES, (part + 1) * CURVES):
        draw = random.Random(seed)
        points = curves.systems(draw)
        yield points, told.values_asked(draw, points).limits[0], told.load_points(points)


def same_number(found, side):
    """Whether three digits with their bound are this answer."""
    bound, digits, times = found
    value = float(digits.replace(",", "")) * TIMES[times]
    return bound == BOUNDS[side.relation] and value == pytest.approx(side.value, rel=6e-3)


def ends(sides):
    """The lowest and the highest answer, each with what is known of the true end."""
    known = sorted((side for side in sides if side.value is not None), key=lambda s: s.value)
    if not known:
        return []
    low, high = known[0], known[-1]
    above = ">=" if any(side.relation == ">=" for side in known) else high.relation
    return [low, facts.Side(high.status, high.value, above)]


@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("question", ["peak_iops", "most_iops_within_latency", "iops_at_latency"])
def test_the_numbers_of_a_headline_are_those_of_the_load_points(part, question):
    told_of = 0
    for points, limit, frame in cases(part):
        answers = pk.peak(frame) if question == "peak_iops" else pk.iops_at_latency(frame, limit)
        sides = [facts.answer(curve, question, limit) for curve in facts.curves(points).values()]
        (found,) = pk.finding(answers, question)
        expected = ends(sides)
        if not expected:
            assert found.headline is None or "does not stay within" in found.headline
            continue
        said = re.findall(NUMBER, found.headline)
        one = expected[0].value == expected[1].value
        alone = len(sides) == 1 or sum(s.value is not None for s in sides) == 1
        # ends that print alike are said once
        alike = len(said) == 1 and all(same_number(said[0], side) for side in expected)
        assert len(said) == (1 if alone or alike else 2), found.headline
        for number, side in zip(said, expected if len(said) > 1 else expected[:1], strict=True):
            assert same_number(number, side) or one, (found.headline, side)
        told_of += 1
    assert told_of > CURVES / 8


def test_a_headline_without_difference_says_so():
    """Where the interval of a change holds none, no headline says "more" or "fewer"."""
    tried = 0
    for points, _, frame in cases(0):
        if len({p.system for p in points}) < 2:
            continue
        compared = pk.compare(frame)
        for answer in from_frame(compared.frame):
            if answer.question != "peak_iops" or answer.estimate is None:
                continue
            (found,) = pk.finding(compared, "peak_iops", of=answer.subject.label)[:1]
            got = answer.got
            none = got.low is not None and got.low <= 1 <= got.high
            assert ("no difference" in found.headline) == none, found.headline
            tried += none
    assert tried


def test_the_answers_behind_the_findings_travel_with_them():
    """Each once, as they were; of a range over curves those of its curves. Parts are counted on."""
    draw = random.Random(4)
    frame = told.load_points(curves.systems(draw))
    peaks = pk.peak(frame)
    asked = [one for one in from_frame(peaks.frame) if one.question == "peak_iops"]
    (found,) = pk.finding(peaks, "peak_iops")
    data = pk.findings(found, found)._repr_mimebundle_()
    cell = {"outputs": [{"data": data}, {"data": {"text/plain": "1"}}]}
    assert from_frame(answers_found({"cells": [{}, cell]})) == asked
    assert from_frame(answers_found({"cells": [cell, cell]})) == asked * 2
    assert answers_found({"cells": [{}]}).schema == ANSWERS
