"""A series of AWR reports at its full size: planted causes, flat series, and a folder of files."""

from __future__ import annotations

import time

from forges.awr.series import series

from perfkit.study.survey import survey

FILES, REPORTS = 5000, 20


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
