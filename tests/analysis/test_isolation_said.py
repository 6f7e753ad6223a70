"""Sentences on isolation: each finding in its words, with the numbers of the answer."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from analysis.genio_case import aqos_test
from analysis.test_isolation import made

from perfkit.analysis.verdicts.equivalence import CORRELATIONS
from perfkit.analysis.verdicts.isolation import isolation
from perfkit.core.answers import QUESTIONS, Condition, from_frame, to_frame
from perfkit.showing.statements.say import say, templates

OF_ISOLATION = ("isolation_departure", "isolation_effect", "isolation_without_policy",
                "isolation_without_bully")  # fmt: skip


def statements(frame, **given):
    given = {"bully": "bully", "margin_ratio": 0.1, **given}
    return {item.id: item for item in say(isolation(frame, **given))}


def said(frame, name, **given):
    return statements(frame, **given)[f"isolation-{name}"].text


def aqos(margin_ratio):
    return statements(aqos_test(), bully="epic-rhel3", margin_ratio=margin_ratio)


def test_equivalence_is_said_only_where_it_is_shown():
    wider, narrow = aqos(0.25)["isolation-departure"], aqos(0.15)["isolation-departure"]
    assert wider.text.startswith(
        "Over 10 runs the longest write cycle of epic-rhel1 was equivalent to its own level of "
        "34.7 s ± 25%: its change and the range of its runs lie within 22.4% of it."
    )
    assert narrow.text.startswith(
        "Whether the longest write cycle of epic-rhel1 kept its own level of 34.7 s ± 15% is not "
        "shown either way: its change over the ramp is not shown to lie within the margin."
    )
    assert "not affected" not in wider.text


def test_the_change_has_its_interval():
    assert aqos(0.15)["isolation-effect"].text.startswith(
        "While epic-rhel3 ramped from 81,207 IOPS to 147,633 IOPS, the longest write cycle of "
        "epic-rhel1 changed by +6.64% of its level (90% interval −7.51% to +22.4%)."
    )


def test_the_method_names_the_estimator_and_its_correlations():
    """Who draws a plain line through the runs finds another change: the method says why."""
    method = QUESTIONS["isolation_effect"].method
    assert "generalised least squares for each correlation of neighbouring runs" in method
    assert f"from {CORRELATIONS[0]:g} to {CORRELATIONS[-1]:g}, the mean of the slopes" in method
    assert "change: as in isolation_effect" in QUESTIONS["isolation_departure"].method


def test_that_no_cause_is_shown_stands_after_the_finding():
    assert aqos(0.15)["isolation-departure"].caution == (
        "Caution: there is no control run of epic-rhel1 and epic-rhel2 without the policy or the "
        "bully, so the cause is not shown."
    )


def test_one_changed_cell_changes_the_sentence():
    """With one write cycle of rhel1 at 60 s the equivalence is gone from the sentence."""
    cell = pl.when(pl.col("longest_write_cycle_s") == 35.81).then(60.0)
    frame = aqos_test().with_columns(cell.otherwise("longest_write_cycle_s")
                                     .alias("longest_write_cycle_s"))  # fmt: skip
    text = said(frame, "departure", bully="epic-rhel3", margin_ratio=0.2)
    assert "epic-rhel1 kept its own level of 37.1 s ± 20% is not shown either way" in text


def test_what_changed_and_what_could_not_be_judged():
    assert said(made(9.0), "departure") == (
        "The longest write cycle of v did not keep its own level of 34.5 s ± 10%: over the ramp it "
        "changed by at least 24.2%."
    )
    short = statements(made(n=3))
    assert short["isolation-departure"].text == (
        "Whether the longest write cycle of v kept its level could not be judged: 3 runs are too "
        "few for a slope with its interval."
    )
    assert short["isolation-effect"].text == (
        "How the longest write cycle of v changed over the ramp is not known: 3 runs are too few "
        "for a slope with its interval."
    )


@pytest.mark.parametrize(
    ("victim", "slope", "noise", "words"),
    [
        (0.0, 9.0, 0.2, "Cause shown: without the policy the longest write cycle of v does not "
         "keep its level, but changes by at least 22.5%."),
        (0.0, 0.0, 0.2, "Cause not shown: without the policy, too, the longest write cycle of v is "
         "equivalent to its level, within 4.08%."),
        (0.0, 0.0, 5.0, "Cause not shown: the longest write cycle of v without the policy is "
                        "inconclusive: without it, neither its change over the ramp nor the range "
                        "of its runs is "
         "shown to lie within the margin."),
        (9.0, 9.0, 0.2, "Cause not shown: the longest write cycle of v without the policy is "
                        "inconclusive: it is not shown to keep its level with it."),
    ],
)  # fmt: skip
def test_the_cause_as_the_control_without_the_policy_tells_it(victim, slope, noise, words):
    control = made(slope, noise, seed=2)
    assert said(made(victim), "without-policy", control=control, control_lacks="policy") == words


@pytest.mark.parametrize(
    ("level", "noise", "words"),
    [
        (30.0, 0.2, "Cause shown: the longest write cycle of v with bully is equivalent to that "
         "without, within 0.649%."),
        (20.0, 0.2, "Cause shown: the longest write cycle of v with bully lies at least 49.5% from "
         "that without."),
        (30.0, 20.0, "Cause not shown: the longest write cycle of v without bully is "
                     "inconclusive: the difference lies neither within the margin nor outside it."),
    ],
)  # fmt: skip
def test_the_cause_as_the_control_without_the_bully_tells_it(level, noise, words):
    alone = made(level=level, noise=noise, seed=2, hosts=("v",))
    found = statements(made(), control=alone, control_lacks="bully")
    assert found["isolation-without-bully"].text == words
    assert "its level without bully of " in found["isolation-departure"].text


def test_every_answer_has_its_sentence():
    known = {key for key in templates() if key[0] in OF_ISOLATION}
    assert known == {(name, *given) for name in OF_ISOLATION for given in QUESTIONS[name].gives}


def test_the_sentence_says_the_answer_and_decides_nothing():
    """An answer that was changed by hand is said as it stands, whatever its other numbers are."""
    found = from_frame(isolation(made(9.0), bully="bully", margin_ratio=0.1).frame)
    departure, effect = found
    margin = Condition("margin_ratio", 0.3, "ratio", "limit")
    others = tuple(item for item in departure.conditions if item.role != "limit")
    changed = replace(departure, relation="<=", conditions=(margin, *others),
                      estimate=replace(departure.estimate, value=0.425))  # fmt: skip
    slower = replace(effect, estimate=replace(effect.estimate, value=-0.5, low=-0.75))
    texts = [item.text for item in say(to_frame([changed, slower]))]
    assert texts[0] == (
        "Over 10 runs the longest write cycle of v was equivalent to its own level of 34.5 s ± "
        "30%: its change and the range of its runs lie within 42.5% of it."
    )
    assert "changed by −50.0% of its level (90% interval −75.0% to +" in texts[1]
