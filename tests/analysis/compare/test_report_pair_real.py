"""The first page of two real reports against their HTML, read here by expressions of its own."""

from __future__ import annotations

import html
import re
import shutil
import tarfile

import pytest
from places import ROOT

import perfkit as pk
from perfkit.core.answers import from_frame

REAL = ROOT.parent / "shared/real"
DAY = REAL / "foreign/awr_series_day.tar.xz"


def of_day(folder):
    """Two half hours of one day, ten hours apart."""
    names = ("awrrpt_1_162_163.html", "awrrpt_1_182_183.html")
    with tarfile.open(DAY) as archive:
        for name in names:
            (folder / name).write_bytes(archive.extractfile(f"awr_series_day/{name}").read())
    return names


def of_databases(folder):
    """Two databases on one host, over the same three days."""
    names = ("single_12.2_T.html", "single_12.2_S.html")
    for name in names:
        shutil.copyfile(REAL / "awr" / name, folder / name)
    return names


def cells(path):
    """The cells of each row by the row's first cell, of each table by its summary."""
    found = {}
    text = path.read_text("latin-1")
    tables = re.findall(r'<table[^>]*summary="([^"]*)"[^>]*>(.*?)</table>', text, re.S | re.I)
    for summary, table in tables:
        own = found.setdefault(" ".join(summary.split()).lower(), {})
        for row in re.findall(r"<tr[^>]*>(.*?)</tr>", table, re.S | re.I):
            texts = [html.unescape(re.sub(r"<[^>]+>", "", cell)).replace("\xa0", " ").strip()
                     for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S | re.I)]  # fmt: skip
            if texts:
                own.setdefault(texts[0], texts[1:])
    return found


def number(text):
    return float(re.sub(r"[^\d.]", "", text))


def by_hand(path):
    """What the first page says of one report."""
    tables = cells(path)

    def row(summary, name):
        return next(own[name] for key, own in tables.items() if summary in key and name in own)

    classes = [row("foreground wait class statistics", name)[-1]
               for name in ("User I/O", "System I/O", "Commit")]  # fmt: skip
    minutes = [number(row("snapshot information", name)[1]) for name in ("Elapsed:", "DB Time:")]
    sessions = minutes[1] / minutes[0]
    waits, _, total, mean = row("background wait events", "log file parallel write")[:4]
    unit = {"us": 1e-6, "ms": 1e-3}[mean[-2:]]
    write = number(total) / number(waits) if number(total) >= 100 else number(mean) * unit
    return {
        "db_time_per_elapsed_ratio": sessions,
        "storage_sessions": sessions * sum(map(number, classes)) / 100,
        "iops": number(row("io profile", "Total Requests:")[0]),
        "executions": number(row("load profile", "Executes (SQL):")[0]),
        "transactions": number(row("load profile", "Transactions:")[0]),
        "log writes": write,
    }


@pytest.mark.parametrize("made", [of_day, of_databases])
def test_what_the_first_page_says_is_what_the_files_say(tmp_path, made):
    if not DAY.is_file():
        pytest.skip("the real reports are not at hand")
    names = made(tmp_path)
    (tmp_path / "study.yml").write_text("report: {title: Two}\nevidence: [{files: '*.html'}]\n")
    awr = pk.open_study(tmp_path).read_evidence()
    pair = pk.awr.report_pair(awr, before=names[0], after=names[1], allow="database")
    answers = {one.metric: one for one in from_frame(pk.awr.report_changes(pair).frame)}
    before, after = (by_hand(tmp_path / name) for name in names)
    for metric in ("db_time_per_elapsed_ratio", "storage_sessions", "iops", "log writes"):
        told = [side.got.value for side in answers[metric].sides]
        assert told == [pytest.approx(side[metric], rel=2e-3) for side in (after, before)], metric
    coarse = min(before["transactions"], after["transactions"]) < 2
    load = "executions" if coarse else "transactions"
    by_load = answers["db_time_per_load_s"]
    assert by_load.subject.get("many") == load
    assert [side.got.value for side in by_load.sides] == [
        pytest.approx(side["db_time_per_elapsed_ratio"] / side[load], rel=2e-3)
        for side in (after, before)
    ]  # fmt: skip
