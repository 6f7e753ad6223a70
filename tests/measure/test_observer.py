"""Commands of the user's beside a point: what is kept of them, and how it is read."""

import datetime as dt
import json
import time

import pytest

from perfkit.core.errors import ParseError, UsageError
from perfkit.measure.probe.events import Observer
from perfkit.measure.sweep import run_sweep
from perfkit.measure.workloads import named_workload
from perfkit.sources import RUN
from perfkit.sources.rundir.point import rows, unread

NOON = "2026-01-05T12:00:00+00:00"
OF_CSV = (
    "volume,time,iops,lat_us\nlun1,2026-01-05T12:00:03,120,310\nlun2,2026-01-05T12:00:03,80,295\n"
)
OF_JSON = '{"time": 1767614397, "ports": [{"name": "a", "bytes": 5}, {"name": "b", "bytes": null}]}'


def spec_of(*observe):
    return named_workload(
        "oltp-select", ioengine="psync", direct=False, file_size="4m", load={"numjobs": [1]},
        runtime=0.7, ramp=0, repeats=1, observe=list(observe),
    )  # fmt: skip


def file_of(form, *texts, clock=None, problem=None):
    lines = [{"observer": "array", "form": form, "clock": clock}]
    lines += [
        {"t_s": 1.5, "took_s": 0.2, "utc": NOON, "problem": problem, "text": text} for text in texts
    ]
    return "\n".join(map(json.dumps, lines))


def told(text):
    return [(r.get("item"), r.get("name"), r.get("value"), r.get("clock_offset_s"))
            for r in rows(text, "f")]  # fmt: skip


def test_the_rows_of_a_csv_are_items_with_counters():
    assert told(file_of("csv", OF_CSV, clock="time")) == [
        ("lun1", "iops", 120.0, 3.0),
        ("lun1", "lat_us", 310.0, 3.0),
        ("lun2", "iops", 80.0, 3.0),
        ("lun2", "lat_us", 295.0, 3.0),
    ]


def test_the_elements_of_json_lists_are_items_and_null_is_no_zero():
    assert told(file_of("json", OF_JSON, clock="time")) == [("a", "ports.bytes", 5.0, -3.0)]


def test_text_and_failed_readings_are_kept_in_words():
    assert [(r["text"], r["failed"]) for r in rows(file_of("text", "up 3 days"), "f")] == [
        ("up 3 days", False)
    ]
    failed = file_of("csv", "", problem="exit code 1: no route")
    assert [(r["text"], r["failed"]) for r in rows(failed, "f")] == [
        ("exit code 1: no route", True)
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (file_of("csv", "a,b\n1\n"), "printed no csv: a row has not as many cells"),
        (file_of("json", "{"), "printed no json: "),
        (file_of("csv", "a\n1\n", clock="time"), "printed no csv: has no 'time' for the clock"),
        (file_of("csv", "a,time\n1,noon\n", clock="time"), "printed no csv: Invalid isoformat"),
        (file_of("csv", "lun;iops\nlun1;7\n"), "printed no csv: no value is a number"),
        (file_of("json", "{}[]"), "printed no json: Extra data"),
    ],
)
def test_what_is_not_in_its_form_gives_no_number_and_is_said(text, said):
    [row] = rows(text, "f")
    assert row["failed"]
    assert row["text"].startswith(said)
    assert "value" not in row
    assert list(unread([row])) == [f"1 of 1 readings of array are not read: {row['text']}"]


@pytest.mark.parametrize("digits", ["1,234", "-1,234.5", "1'234", "1 234", "12,5", "1.234.567"])
def test_digits_with_separators_are_refused_with_their_place(digits):
    said = f"{digits!r} has a separator between its digits: print plain numbers"
    [row] = rows(file_of("csv", f'lun,iops\nlun1,7\nlun2,"{digits}"\n'), "f")
    assert row["text"] == f"printed no csv: row 2, iops: {said}"
    [row] = rows(file_of("json", json.dumps({"ports": [{"name": "a", "ops": digits}]})), "f")
    assert row["text"] == f"printed no json: a ports.ops: {said}"


@pytest.mark.parametrize("item", ["10.0.100.200", "0a.10", "2026-01-05", "50%", "1:2", "1.2.3"])
def test_words_that_begin_with_digits_name_an_item(item):
    assert told(file_of("csv", f"port,ops\n{item},7\n")) == [(item, "ops", 7.0, None)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f:1: does not say what its readings are"),
        (file_of("text", "x") + "\n{}", "f:3: is not a reading of an observer"),
    ],
)
def test_what_is_no_record_names_its_line(text, said):
    with pytest.raises(ParseError) as refused:
        list(rows(text, "f"))
    assert said in str(refused.value)


def test_a_command_is_read_at_the_beginning_every_so_often_and_at_the_end(tmp_path):
    spec = spec_of({"name": "array", "command": "date +%s.%N", "every": 0.2, "form": "text"})
    with Observer(spec.observe[0], tmp_path) as observer:
        time.sleep(0.5)
    first, *readings = map(json.loads, (tmp_path / "observed-array.jsonl").read_text().splitlines())
    assert first == {"observer": "array", "form": "text", "clock": None}
    assert observer.readings == len(readings) >= 3
    assert [r["problem"] for r in readings] == [None] * len(readings)
    for reading in readings:
        middle = dt.datetime.fromisoformat(reading["utc"]).timestamp()
        assert float(reading["text"]) == pytest.approx(middle, abs=reading["took_s"] / 2 + 0.01)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("echo no route >&2; exit 3", "exit code 3: no route"),
        ("sleep 3600", "took longer than 0.2 s"),
    ],
)
def test_a_command_that_fails_is_counted_and_ended(tmp_path, command, why):
    spec = spec_of({"name": "array", "command": command, "every": 0.2})
    with Observer(spec.observe[0], tmp_path) as observer:
        time.sleep(0.1)
    assert observer.failed == observer.readings >= 1
    assert observer.why == why


@pytest.mark.parametrize(
    ("observe", "said"),
    [
        ({"name": "a b", "command": "true"}, "observe.0.name"),
        ({"name": "a", "command": ""}, "observe.0.command"),
        ({"name": "a", "command": "true", "every": 0}, "observe.0.every"),
        ({"name": "a", "command": "true", "form": "xml"}, "observe.0.form"),
    ],
)
def test_what_is_no_observer_is_refused(observe, said):
    with pytest.raises(UsageError) as refused:
        spec_of(observe)
    assert said in str(refused.value)
    with pytest.raises(UsageError, match="observe: two have one name"):
        spec_of(*[{"name": "a", "command": "true"}] * 2)


@pytest.mark.slow
def test_a_run_holds_what_was_observed_on_its_time_axis(tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    good = {"name": "array", "command": "printf 'lun,ops\\nlun1,7\\n'", "every": 0.3}
    bad = {"name": "switch", "command": "exit 1", "every": 0.3, "form": "json"}
    run = run_sweep(spec_of(good, bad), target, runs_dir=tmp_path)
    reading = RUN.read(run)
    observed = reading.table("observed").frame
    array = observed.filter(observer="array")
    assert set(array["item"]) == {"lun1"}
    assert set(array["value"]) == {7.0}
    assert 0 <= array["t_s"].min() < 0.7 <= array["t_s"].max()
    assert observed.filter(observer="switch")["failed"].all()
    [caution] = reading.table("cautions").frame.filter(name="observer_failed").to_dicts()
    count = observed.filter(observer="switch").height
    assert caution["text"] == (
        f"{count} of {count} readings of switch failed during the load: exit code 1"
    )
