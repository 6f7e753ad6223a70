"""Answers over many slots: the verdict in the exit code, in what is told, and on the page."""

from __future__ import annotations

import datetime as dt
import json
import random
import re
from dataclasses import replace
from zoneinfo import ZoneInfo

import polars as pl
import pytest
from schedule_bench import SCHEDULE, Bench, answers

from perfkit.analysis.trend.runs import histories
from perfkit.core.answers import ANSWERS
from perfkit.scheduling import trends
from perfkit.scheduling.index import page
from perfkit.scheduling.listing import remarks
from perfkit.scheduling.schedule_file import open_schedule
from perfkit.storing.store import Store

DAYS, SHIFT = 24, 14
STORED = SCHEDULE.replace("timezone", "store: store\ntimezone")


BEGIN = dt.datetime(2026, 3, 1, 6, tzinfo=ZoneInfo("Europe/Oslo"))
RUN_NIGHTS = 2


def nights(bench, values):
    """A slot a night, each with this peak; the last run. The first ones are in the store only."""
    draw = random.Random(3)
    store = Store(bench.folder / "store")
    for day, value in enumerate(values):
        found = answers(value * draw.uniform(0.99, 1.01))
        slot = BEGIN + dt.timedelta(days=day)
        if day < len(values) - RUN_NIGHTS:
            store.add_answers(
                pl.DataFrame(found, schema=ANSWERS), name=f"nightly {slot:%Y-%m-%d}",
                time=slot.replace(tzinfo=None), conditions_key={"entry": "nightly"},
                labels={"entry": "nightly", "slot": slot.replace(tzinfo=None).isoformat()},
            )  # fmt: skip
            continue
        bench.clock.now = slot + dt.timedelta(hours=6)
        bench.make.answers = found
        run = bench.run().run
    assert run.warnings == ()
    return run


@pytest.fixture(scope="module")
def worse(tmp_path_factory) -> Bench:
    """24 nights; from the 14th on the array gives 20% less."""
    folder = tmp_path_factory.mktemp("worse")
    (folder / "study").mkdir()
    (folder / "study/study.yml").write_text("report: {title: The array}\n")
    bench = Bench(folder)
    told = "$PERFKIT_EXIT_CODE $PERFKIT_REGRESSIONS / $PERFKIT_LASTING"
    bench.write(STORED + f"    on_result: 'echo {told} >> told'\n")
    nights(bench, [50_000] * SHIFT + [40_000] * (DAYS - SHIFT))
    return bench


SAID = r"Regression: Peak IOPS of mixed is 20% lower .* since 15 Mar"


def test_a_regression_is_exit_code_3_and_says_what_and_since_when(worse):
    """The last two nights have a report: the first of them shows it first."""
    run = worse.state().runs[-2]
    assert (run.outcome, run.exit_code, run.lasting) == ("pass", 3, ())
    (said,) = run.regressions
    assert re.match(SAID, said)
    told = (worse.folder / "told").read_text().splitlines()
    assert told[-2] == f"3 {said} /"


def test_what_was_worse_in_the_slot_before_is_said_and_is_no_exit_code_3(worse):
    run = worse.state().runs[-1]
    assert (run.outcome, run.exit_code, run.regressions) == ("pass", 0, ())
    (said,) = run.lasting
    assert re.match(SAID, said)
    assert f"since an earlier slot: {said}" in remarks(run)
    told = (worse.folder / "told").read_text().splitlines()
    assert told[-1] == f"0 / {said}"


def test_a_slot_that_is_looked_at_again_says_what_it_said(worse):
    """A kill between the look and the state costs no exit code."""
    (entry,) = open_schedule(worse.folder)
    first, last = worse.state().runs[-2:]
    assert trends.look(entry, last) == trends.Worse((), last.lasting)
    (worse.folder / "reports/nightly" / trends.TRENDS).unlink()
    assert trends.look(entry, last) == trends.Worse(last.lasting, ()) == trends.look(entry, last)
    assert first.regressions


@pytest.mark.parametrize(
    ("began", "seen"), [(None, "first"), (8, "first"), (10, "first"), (11, "now")]
)
def test_what_falls_again_is_new(began, seen):
    """A shift is the same one within two runs; a verdict that rests on none stays the same."""
    days = [f"2026-03-{day:02}T06:00:00" for day in range(1, 25)]
    points = tuple(trends.Point(day, "r", 1.0, 1.0, None, None, False, False) for day in days)
    line = trends.Line("a", "Regression", "regression", "said", "1", None, None, points)
    before = replace(line, began=days[8], seen="first")
    now = replace(line, began=None if began is None else days[began])
    assert trends._seen(now, before, "now").seen == seen
    assert trends._seen(now, replace(before, kind="undecided"), "now").seen == "now"


def test_the_command_says_so(worse, capsys):
    from perfkit.cli.app import run as perfkit

    argv = ["schedule", "run", "nightly", "--file", str(worse.folder), "--at", "2026-03-23T06:00"]
    assert perfkit(argv) == 3
    told = capsys.readouterr()
    assert told.err.startswith("Regression: Peak IOPS of mixed")
    assert told.err.endswith("(exit code 3)\n")


def test_the_line_has_every_night_with_its_limits(worse):
    (line,) = trends.kept(worse.folder / "reports/nightly")
    assert (line.kind, line.verdict, len(line.points)) == ("regression", "Regression", DAYS)
    assert [point.run for point in line.points if point.shift] == ["nightly 2026-03-15"]
    first, last = line.points[0], line.points[-1]
    assert first.expected == pytest.approx(50_000, rel=0.01)
    assert last.expected == pytest.approx(40_000, rel=0.01)
    assert all(point.lower < point.expected < point.upper for point in line.points)
    assert re.fullmatch(r"(39|40),\d00 IOPS", line.last)


def test_the_page_draws_it_with_words_for_who_does_not_see_it(worse):
    text = (worse.folder / "reports/index.html").read_text()
    (item,) = re.findall('<li class="regression">.*?</li>', text)
    assert '<p class="what">Peak IOPS of mixed</p>' in item
    assert "24 runs, 2026-03-01 to 2026-03-24. The last gave" in item
    assert item.count('class="limits"') == item.count('class="expected"') == 2
    assert item.count('class="shift"') == 1
    assert '<p class="verdict">Regression</p>' in item
    assert re.search(r"<small>limits 3\d,\d00 IOPS to 4\d,\d00 IOPS</small>", item)
    (named,) = re.findall('aria-labelledby="(.*?)"', item)
    assert all(f'id="{one}"' in item for one in named.split())
    assert "1 answer got worse" in text
    (path,) = re.findall('class="runs" points="(.*?)"', item)
    across = [float(pair.split(",")[0]) for pair in path.split()]
    assert (across[0], across[-1]) == (4.0, 236.0)
    assert across == sorted(across)


def test_a_quiet_month_has_no_change_and_exit_code_0(bench):
    bench.write(STORED)
    run = nights(bench, [50_000] * 12)
    assert (run.exit_code, run.regressions) == (0, ())
    (line,) = trends.kept(bench.folder / "reports/nightly")
    assert line.verdict == "No change beyond 5%"
    assert "got worse" not in (bench.folder / "reports/index.html").read_text()


def test_a_margin_of_its_own_decides_what_matters(bench):
    bench.write(STORED + "    margin: 0.5\n")
    assert nights(bench, [50_000] * 8 + [40_000] * 8).exit_code == 0
    (line,) = trends.kept(bench.folder / "reports/nightly")
    assert line.verdict == "No change beyond 50%"


def test_which_slot_it_was_explains_nothing(bench):
    """The labels of a slot are not facts that changed with a shift."""
    bench.write(STORED)
    nights(bench, [50_000] * 2)
    runs = histories(Store(bench.folder / "store").answers())
    assert {name for text in runs.frame["facts"] for name in json.loads(text)} <= {"perfkit"}


def test_what_is_undecided_says_how_many_more_nights_would_tell(bench):
    bench.write(STORED + "    margin: 0.01\n")
    nights(bench, [50_000] * 8)
    (line,) = trends.kept(bench.folder / "reports/nightly")
    assert re.fullmatch(r"Undecided \(about \d+ more runs would decide it\)", line.verdict)
    assert line.verdict in (bench.folder / "reports/index.html").read_text()


def test_one_night_is_not_judged_and_drawn_as_a_dot(bench):
    bench.write(STORED)
    assert nights(bench, [50_000]).exit_code == 0
    text = (bench.folder / "reports/index.html").read_text()
    assert 'class="last" d="M120.0,24.0h0"' in text
    assert '<li class="not-judged">' in text


def test_an_anonymised_report_has_no_history(bench):
    """Its names are of that report alone: what is called a in one may be called b in the next."""
    bench.write(STORED + "    anonymise: true\n")
    nights(bench, [50_000] * 2)
    assert trends.kept(bench.folder / "reports/nightly") == []


def test_names_stay_text_and_damaged_lines_are_none(worse, tmp_path):
    reports = worse.folder / "reports/nightly"
    saved = (reports / trends.TRENDS).read_text()
    try:
        (reports / trends.TRENDS).write_text(saved.replace("of mixed", "of <b>{{rows}}</b>"))
        text = page(worse.folder / "reports")
        assert "of &lt;b&gt;{{rows}}&lt;/b&gt;" in text
        (reports / trends.TRENDS).write_text(saved[:100])
        assert "<svg" not in page(worse.folder / "reports")
    finally:
        (reports / trends.TRENDS).write_text(saved)


def test_of_many_answers_those_that_got_worse_are_shown_at_once(worse):
    """The others stand below, folded."""
    reports = worse.folder / "reports/nightly"
    saved = (reports / trends.TRENDS).read_text()
    record = json.loads(saved)
    (line,) = record["lines"]
    others = [line | {"kind": "no change", "name": f"other {n}"} for n in range(9)]
    (reports / trends.TRENDS).write_text(json.dumps(record | {"lines": [line, *others]}))
    text = page(worse.folder / "reports")
    (reports / trends.TRENDS).write_text(saved)
    shown, _, folded = text.partition("<details>")
    assert (shown.count("<svg"), folded.count("<svg")) == (6, 4)
    assert "<summary>4 more</summary>" in folded


@pytest.mark.slow
def test_everybody_can_read_the_page_at_every_width(worse):
    import pages

    from perfkit.reporting.write.chrome import Page

    with Page() as page:
        page.send("Log.enable")
        for width in pages.WIDTHS:
            for theme in pages.THEMES:
                pages.sized(page, width, theme)
                page.open((worse.folder / "reports/index.html").as_uri())
                assert pages.problems(page, width) == []
