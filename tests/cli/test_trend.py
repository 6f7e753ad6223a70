"""``perfkit trend``: what changed in a store, with exit code 3 for a regression."""

import polars as pl
import pytest
from forges.stored_answers import nights, values

import perfkit as pk
from perfkit.cli import app
from perfkit.cli.trend import _complete
from perfkit.core.answers import ANSWERS

WORDS = "Regression: Peak IOPS of oltp is"


def keep(store, rows):
    for row in rows:
        frame = pl.DataFrame([row], schema_overrides=dict(ANSWERS)).select(*ANSWERS)
        labels = {key.removeprefix("label_"): text for key, text in row.items()
                  if key.startswith("label_") and text}  # fmt: skip
        store.add_answers(frame, name=row["name"], time=row["time"], facts=row["facts"],
                          conditions_key=row["conditions_key"], labels=labels)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Thirty nights, of which the last twelve have a tenth less IOPS."""
    found = pk.store(tmp_path_factory.mktemp("trend") / "store")
    keep(found, nights(
        values(30, shifts=[(18, 0.85)]), facts=lambda p: {"firmware": "a" if p < 18 else "b"},
        labels=lambda p: {"firmware": "a" if p < 18 else "b"},
    ))  # fmt: skip
    return found


def call(capsys, *words):
    code = app.run(["trend", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_regression_is_said_and_has_exit_code_3(store, capsys):
    code, out, _ = call(capsys, "--store", store.path)
    assert code == 3
    assert "1 of 1 history got worse by more than 5%." in out
    assert WORDS in out
    assert "Changed with it: firmware a to b." in out


def test_a_change_within_the_margin_has_exit_code_0(store, capsys):
    code, out, _ = call(capsys, "peak_iops", "--store", store.path, "--margin", "25%")
    assert (code, "No change beyond 25%" in out) == (0, True)


@pytest.mark.parametrize("baseline", ["firmware=a", "2026-01-01..2026-01-18"])
def test_the_baseline_may_be_a_label_or_days(store, capsys, baseline):
    code, out, _ = call(capsys, "--store", store.path, "--baseline", baseline)
    assert (code, "the 18 runs of the baseline" in out) == (3, True)


def test_runs_since_a_day_alone_are_looked_at(store, capsys):
    code, out, _ = call(capsys, "--store", store.path, "--since", "2026-01-19")
    assert (code, WORDS in out) == (0, False)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["peak_iop"], "did you mean 'peak_iops'"),
        (["--margin", "a lot"], "write it as 5%"),
        (["--margin", "150%"], "share between 0 and 1"),
        (["--since", "spring"], "write a day as 2026-09-01"),
        (["--baseline", "firmware=z"], "no run is of it"),
    ],
)
def test_misuse_has_exit_code_2(store, capsys, words, why):
    code, out, err = call(capsys, *words, "--store", store.path)
    assert (code, out) == (2, "")
    assert why in err


def test_no_store_and_an_empty_one_are_errors(tmp_path, capsys):
    code, _, err = call(capsys, "--store", tmp_path / "none")
    assert (code, "there is no store" in err) == (1, True)


def test_a_damaged_store_is_refused_as_a_query_is(tmp_path, capsys):
    damaged = pk.store(tmp_path / "store")
    keep(damaged, nights(values(12)))
    kept = next(path for path in damaged.path.rglob("*.parquet"))
    kept.chmod(0o600)
    kept.write_bytes(kept.read_bytes()[:-9])
    code, out, err = call(capsys, "--store", damaged.path)
    assert (code, out) == (1, "")
    assert "damaged" in err


def test_the_shell_completes_the_questions_of_the_store(store):
    class Context:
        params = {"store": store.path}  # noqa: RUF012

    assert _complete(Context, "peak") == ["peak_iops"]
    assert _complete(Context, "x") == []
    Context.params = {"store": store.path / "none"}
    assert _complete(Context, "") == []


def test_the_answers_of_a_store_name_the_pieces_that_they_rest_on(store):
    found = store.evidence("peak_iops")
    assert found.traceable
    (evidence,) = found.lineage.evidence
    assert (evidence.kind, evidence.path, len(evidence.parts)) == ("store", "store", 30)
    assert evidence.parts[0].path == "night-000"


@pytest.mark.slow
def test_a_report_says_on_its_first_page_what_changed_since_when(store, tmp_path, capsys):
    code, out, _ = call(capsys, "--store", store.path, "-o", tmp_path / "report")
    assert code == 3
    assert str(tmp_path / "report" / "trend.pdf") in out
    page = (tmp_path / "report" / "trend.html").read_text(encoding="utf-8")
    assert "Regression: Peak IOPS of oltp is" in page
    assert "firmware a to b" in page
    assert "not traceable" not in page
