"""20,000 damaged reports: only ParseError may escape, and none takes long."""

from __future__ import annotations

import os
import time

from forges import awr
from forges.awr.faults import mutations

from perfkit.core.errors import ParseError
from perfkit.sources.awr import read_awr

COUNT = int(os.environ.get("PERFKIT_FUZZ", "20000"))
SEED = int(os.environ.get("PERFKIT_FUZZ_SEED", "20000"))
SECONDS = 10.0


def small(dialect):
    """A small report with every section of its dialect."""
    content = awr.sample(
        3, instances=2 if dialect in awr.MANY else 1, cdb=dialect == "html-pdb",
        narrow=dialect in awr.NARROW, statements=1, few=True,
    )  # fmt: skip
    return awr.forge(content, dialect).data


def test_only_parse_errors_escape_from_20000_damaged_reports(tmp_path):
    """Every dialect; cut, spliced, tags swapped, bytes flipped, pieces repeated and dropped."""
    reports = [small(dialect) for dialect in awr.DIALECTS]
    path = tmp_path / "damaged"
    read, refused, slowest = 0, 0, (0.0, "")
    failures = []
    start = time.perf_counter()
    for number, (kind, data) in enumerate(mutations(reports, COUNT, SEED)):
        path.write_bytes(data)
        clock = time.perf_counter()
        try:
            read_awr(path, root=tmp_path)
            read += 1
        except ParseError:
            refused += 1
        except Exception as problem:  # noqa: BLE001 - what may not happen is counted, not raised
            failures.append(f"{number} ({kind}): {type(problem).__name__}: {problem}")
        slowest = max(slowest, (time.perf_counter() - clock, f"{number} ({kind})"))
    took = time.perf_counter() - start
    print(
        f"\nAWR fuzz: {COUNT} damaged reports in {took:.0f} s, {read} read, {refused} refused, "
        f"{len(failures)} other errors; slowest {slowest[0] * 1e3:.0f} ms ({slowest[1]})"
    )
    assert failures == []
    assert slowest[0] < SECONDS
