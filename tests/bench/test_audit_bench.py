"""The audit on 200 generated tables with 300 errors: recall, false alarms, and speed."""

from __future__ import annotations

import time

import pytest
from audit_measure import measure
from forges.audit_corpus import corpus

import perfkit as pk


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
def test_recall_and_false_alarms(tmp_path, seed):
    """300 errors in 200 tables of five layouts, beside 2,000 sound relations and more."""
    score = measure(corpus(seed=seed), tmp_path)
    print(
        f"\nseed {seed}: {score.found} of {score.errors} errors found ({score.recall:.1%}); "
        f"{score.alarms} false alarms of {score.sound} sound relations ({score.false_rate:.2%})"
    )
    assert score.errors == 300
    assert score.sound >= 2000
    assert score.recall >= 0.95, score.missed
    assert score.false_rate <= 0.01, score.false


def test_time_grows_with_the_document(tmp_path):
    """Ten times the rows take at most twenty times as long."""

    def seconds(rows):
        path = tmp_path / f"{rows}.csv"
        body = "".join(f"{i},{i * 7},{i * 3},{i * 10}\n" for i in range(1, rows + 1))
        path.write_text("Run,Read IOPS,Write IOPS,Total IOPS\n" + body)
        start = time.perf_counter()
        frame = pk.audit_document(pk.read_document(path)).frame
        assert frame["outcome"].to_list() == ["holds"] * rows
        return time.perf_counter() - start

    seconds(100)
    small, large = seconds(2_000), seconds(20_000)
    print(f"\n2,000 rows {small:.2f} s, 20,000 rows {large:.2f} s")
    assert large < 20 * small
