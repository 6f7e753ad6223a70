"""reports/index.html: all reports, newest first, in one file that needs nothing from outside."""

from __future__ import annotations

import re

from schedule_bench import SCHEDULE, utc

from perfkit.scheduling.index import page, took
from perfkit.study.file import ACCENT

TWO = SCHEDULE + '  - {name: weekly, study: study, calendar: "Mon 06:00"}\n'


def rows(text: str) -> list[str]:
    return re.findall("<tr>(<td.*?)</tr>", text)


def test_all_reports_newest_first_with_links_that_work(bench, fault):
    """Two entries and a failure: date, study, verdict, reason, links to files that exist."""
    bench.write(TWO)
    bench.run(at=utc("2026-11-19 06:00"))
    bench.run(number=1)
    bench.make.fault = fault
    bench.run()
    root = bench.folder / "reports"
    text = (root / "index.html").read_text()
    assert [re.search("<td>([a-z]+)</td>", row).group(1) for row in rows(text)] == [
        "nightly", "nightly", "weekly",
    ]  # fmt: skip
    first, second, _ = rows(text)
    assert "2026-11-21 06:00" in first
    assert 'class="failed">failed' in first
    assert "ValueError: no such thing" in first
    assert 'class="pass">criteria met' in second
    assert "The array" in second
    links = re.findall('href="([^"]+)"', text)
    assert len(links) == 2 * 4 + 2
    assert all((root / link).is_file() for link in links)
    assert "2 reports, 1 failed" in text


def test_nothing_comes_from_outside_and_nothing_is_taken_for_markup(bench):
    """No address, a policy that forbids loading; a title with markup stays text."""
    (bench.folder / "study/study.yml").write_text(
        "report: {title: '<script>alert(1)</script> & more'}\n"
    )
    bench.run()
    text = (bench.folder / "reports/index.html").read_text()
    assert "//" not in text.replace("<!doctype html>", "")
    assert "default-src 'none'" in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in text


def test_it_has_the_colour_of_the_reports(bench):
    light, dark = re.findall("--accent: (.*?);", page(bench.folder))
    assert light == ACCENT
    assert re.findall("#[0-9a-f]+", dark) == [ACCENT]


def test_a_title_that_looks_like_a_place_of_the_page_stays_a_title(bench):
    """Another number would stand there; and no letter turns what follows round."""
    title = r'"{{good}} {{rows}} 12\u202e34"'
    (bench.folder / "study/study.yml").write_text(f"report: {{title: {title}}}\n")
    bench.run()
    text = (bench.folder / "reports/index.html").read_text()
    assert "<td>{{good}} {{rows}} 12·34</td>" in text


def test_only_whole_reports_are_listed(bench):
    """Folders without a record, hidden ones and files are not reports."""
    bench.run()
    reports = bench.folder / "reports/nightly"
    (reports / "2026-11-22").mkdir()
    (reports / ".tmp-2026-11-22").mkdir()
    (bench.folder / "reports/notes.txt").write_text("x")
    assert len(rows(page(bench.folder / "reports"))) == 1


def test_durations_for_people():
    assert [took(value) for value in (None, 0.4, 42.2, 425, 7440)] == [
        "–", "0.4 s", "42 s", "7 min 5 s", "2 h 4 min",
    ]  # fmt: skip
