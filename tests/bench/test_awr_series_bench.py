"""A series of AWR reports at its full size: planted causes, flat series, and a folder of files."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
from forges.awr.content import Database
from forges.awr.series import CAUSES, Host, series
from series_told import by_name, false_causes, frames, told_of

import perfkit as pk
from perfkit.analysis.awr.periods.storage import BLAMED
from perfkit.core.answers import from_frame
from perfkit.core.kept import kept_readings
from perfkit.sources import SOURCES
from perfkit.sources.awr.many import read_awr_reports
from perfkit.study.survey import survey

FILES, REPORTS = 5000, 20
MOST_PAGES = 14
PERFKIT = Path(sys.executable).parent / "perfkit"
LEAST_NAMED = 9


def answers_on(found, folder):
    """What changed in a series, from its files."""
    return from_frame(pk.awr.what_changed(*frames(found, folder)).frame)


def test_ten_planted_causes_are_named_with_their_periods(tmp_path):
    """200 half hours; at least nine of ten, and nothing that was not planted."""
    found = series()
    answers = answers_on(found, tmp_path)
    told = {name: told_of(answers, cause, found) for name, cause in by_name(found).items()}
    print(f"\nnamed with their period: {sum(told.values())} of {len(CAUSES)}; "
          f"not: {[name for name, yes in told.items() if not yes]}")  # fmt: skip
    assert sum(told.values()) >= LEAST_NAMED
    assert false_causes(answers, found) == []


def test_ten_flat_series_of_200_half_hours_have_no_cause(tmp_path):
    """Each with another noise: no change, no cause, and no storage that is to blame."""
    wrong = []
    for seed in range(101, 111):
        found = series(causes=(), seed=seed)
        periods, over_time, reading = frames(found, tmp_path / str(seed))
        answers = from_frame(pk.awr.what_changed(periods, over_time, reading).frame)
        storage = from_frame(pk.awr.is_it_storage(periods, over_time, reading).frame)
        changes = [one.status for one in answers if one.question == "series_change"]
        outcomes = {one.subject.get("outcome") for one in storage}
        if changes != ["missing"] or false_causes(answers, found) or outcomes & BLAMED:
            wrong.append((seed, changes, outcomes))
    print(f"\nflat series with a false cause: {len(wrong)} of 10 {wrong}")
    assert wrong == []


@pytest.mark.parametrize("count", [2, 3])
def test_a_day_of_several_databases_is_at_most_14_pages(tmp_path, count):
    """Each has its change among the findings, and its answers on storage."""
    folder = tmp_path / "day"
    names = ("SHOP", "BANK", "HR")[:count]
    for number, name in enumerate(names):
        slow = replace(CAUSES[0], first=20 + number, last=25 + number)
        database = Database(name, 1000 + number, name.lower())
        made = series(48, (slow,), seed=number, host=Host(database, f"{name.lower()}1"))
        made.write(folder / name)
    for place in sorted(folder.glob("*/*.html")):
        place.rename(folder / f"{place.parent.name}_{place.name}")
    for name in names:
        (folder / name).rmdir()
    subprocess.run([PERFKIT, "report", folder, "-o", tmp_path / "out"], check=True)
    pdf = pypdf.PdfReader(tmp_path / "out/day.pdf")
    first = pdf.pages[1].extract_text()
    print(f"\nday of {count} databases: {len(pdf.pages)} pages")
    assert len(pdf.pages) <= MOST_PAGES
    assert all(f"{name}: on 2 Mar 2026" in " ".join(first.split()) for name in names)


def test_a_folder_of_many_files_is_looked_through(tmp_path, ratio):
    """5,000 files of which 20 are reports: the others cost little more than opening them."""
    folder = tmp_path / "many"
    found = series(REPORTS, ())
    found.write(folder)
    for number in range(FILES - REPORTS):
        (folder / f"trace_{number:04d}.trc").write_text(f"Trace file {number}\n*** 2026-03-02\n")
    clock = time.perf_counter()
    opened = sum(len(path.read_bytes()) > 0 for path in folder.iterdir())
    bare = time.perf_counter() - clock
    clock = time.perf_counter()
    seen = survey([folder])
    took = time.perf_counter() - clock
    print(f"\nsurvey of {FILES:,} files: {took:.1f} s, {took / bare:.0f} times opening them")
    assert [opened, len(seen.pieces), len(seen.left_out)] == [FILES, REPORTS, FILES - REPORTS]
    ratio("survey of 5,000 files / opening them", took / bare, "lower")
    assert took < 30.0


def test_a_survey_and_the_reading_of_its_series_walk_the_reports_once(tmp_path, ratio):
    """CPU of both against the reading alone: about 2.2 where each walks every file."""
    series(60, ()).write(tmp_path)
    paths = sorted(tmp_path.glob("*.html"))
    tables = SOURCES["awr"].reported.tables_of_series
    read_awr_reports(paths[:2], tables=tables)
    times = []
    for _ in range(3):
        clock = time.process_time()
        read_awr_reports(paths, tables=tables)
        alone = time.process_time() - clock
        with kept_readings():
            survey([tmp_path])
            read_awr_reports(paths, tables=tables)
        times.append((time.process_time() - clock - alone) / alone)
    share = min(times)
    print(f"\nsurvey and reading of {len(paths)} reports / reading alone: {share:.2f}")
    ratio("survey and reading of AWR reports / reading alone", share, "lower")
    assert share < 1.8
