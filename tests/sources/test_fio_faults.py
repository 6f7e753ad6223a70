"""Files that are not a result, and damaged files: damage never looks like a number."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import TESTS

from perfkit.core.errors import ParseError
from perfkit.formats.fio_json import CURE
from perfkit.sources import kind_of
from perfkit.sources.fio.read import all_warnings, parse, read_fio
from perfkit.sources.fio.tables import load_points, tables

DATA = TESTS / "data" / "fio"

NO_RESULT = {
    "errors/bad_option_no_json_rc1.stdout": (
        "no result: fio refused an option and wrote its help instead"
    ),
    "errors/enospc_4jobs_rc4.stdout": "job 'a' reports error 28: No space left on device",
    "errors/mounted_abort_error0_rc0.stdout": "no job did any I/O: fio gave up before it began",
    "errors/no_create_error0_rc1.stdout": "no job did any I/O: fio gave up before it began",
    "errors/noperm_rc1.stdout": "job 'a' reports error 13: Permission denied",
    "errors/sigint_rc128.stdout": "fio was stopped by signal 2 before the end: no result",
    "errors/trim_ioctl_err25_rc1.stdout": (
        "job 'tr' reports error 25: Inappropriate ioctl for device"
    ),
    "client-server/bad_remote.stdout": "no client gave a result: 'client_stats' is empty",
    "client-server/err_remote.stdout": "job 'job1' reports error 22: Invalid argument",
    "other/rw75.terse": (
        f"fio's terse output, not a JSON result: it holds no histogram; {CURE}"
    ),
    "other/avg_clat_hist.1.log": "a fio histogram log, not a result: read it as kind fio-log",
    **{
        f"other/{name}.log": "a fio log, not a result: read it as kind fio-log"
        for name in ("avg_bw.1", "avg_iops.1", "avg_lat.1", "pj0_lat", "raw_lat.1")
    },
}  # fmt: skip


@pytest.mark.parametrize("name", NO_RESULT)
def test_what_is_no_result_is_refused_with_its_reason(name):
    with pytest.raises(ParseError) as caught:
        read_fio(DATA / name)
    assert str(caught.value) == f"{DATA / name}: {NO_RESULT[name]}"


def test_every_file_of_the_errors_folder_has_its_expectation():
    there = {f"errors/{path.name}" for path in (DATA / "errors").iterdir()}
    assert there - NO_RESULT.keys() == {"errors/note_before_json_rc0.stdout"}  # a result


ALLOWED = [name for name in NO_RESULT if name.startswith(("errors/", "client"))][1:]


@pytest.mark.parametrize("name", ALLOWED)
def test_with_errors_allowed_the_reason_is_a_warning_and_no_load_point_is_given(name):
    reading = read_fio(DATA / name, allow_errors=True)
    assert NO_RESULT[name] in reading.evidence.warnings
    assert len(reading.load_points) == 0


def test_what_was_done_before_the_error_can_be_looked_at():
    summary = read_fio(DATA / "errors/enospc_4jobs_rc4.stdout", allow_errors=True).summary.frame
    assert summary["error"].to_list() == [28] * 4
    assert summary["ios"].to_list() == [131, 117, 72, 198]


def test_a_direction_without_run_time_has_no_rate():
    reading = read_fio(DATA / "client-server/err_remote.stdout", allow_errors=True)
    row = reading.summary.filter(port=8801, direction="read").frame.row(0, named=True)
    assert (row["ios"], row["iops"], row["runtime_s"], row["fio_usr_ratio"]) == (
        6,
        None,
        None,
        None,
    )


def test_a_note_before_the_json_is_no_error():
    reading = read_fio(DATA / "errors/note_before_json_rc0.stdout")
    assert reading.load_points.filter(direction="total").frame["iops"].to_list() == [10366.316842]


def changed(tmp_path, name, change):
    document = json.loads((DATA / name).read_text())
    change(document)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(document))
    return path


def test_an_error_in_any_job_refuses_the_file(tmp_path):
    path = changed(
        tmp_path, "numjobs4_nogroup_jsonplus.json", lambda d: d["jobs"][2].update(error=5)
    )
    with pytest.raises(ParseError, match="job 'j' reports error 5: Input/output error"):
        read_fio(path)


def put(document, place, value):
    *path, last = place
    for key in path:
        document = document[key]
    if value is None:
        del document[last]
    else:
        document[last] = value


READ = ("jobs", 0, "read")
CLAT = (*READ, "clat_ns")
DAMAGE = [
    ((*READ, "iops"), 24206397.3, "jobs[0].read.iops: 24206397.3 does not agree with 48435 in"),
    ((*READ, "total_ios"), 48535, "jobs[0].read.iops: 24205.397301 does not agree with 48535"),
    ((*READ, "runtime"), 3001, "jobs[0].read.iops: 24205.397301 does not agree with 48435 in 3001"),
    ((*READ, "io_bytes"), 99, "jobs[0].read.bw_bytes: 99145307 does not agree with 99 in 2001"),
    ((*READ, "total_ios"), None, "jobs[0].read.total_ios: is missing"),
    ((*READ, "total_ios"), "48435", "jobs[0].read.total_ios: '48435' is not a number"),
    ((*READ, "total_ios"), True, "jobs[0].read.total_ios: True is not a number"),
    ((*READ, "total_ios"), -1, "jobs[0].read.total_ios: -1 is impossible"),
    ((*READ, "total_ios"), 1.5, "jobs[0].read.total_ios: 1.5 is not a whole number"),
    ((*READ, "total_ios"), 10**30, "jobs[0].read.total_ios: 1000000"),
    ((*CLAT, "N"), 48436, "jobs[0].read.clat_ns.bins: hold 48435 samples, but N is 48436"),
    ((*CLAT, "N"), None, "jobs[0].read.clat_ns.N: is missing"),
    ((*CLAT, "mean"), 1.0, "jobs[0].read.clat_ns.mean: 1.0 is not between min 1472 and max"),
    ((*CLAT, "percentile", "99.000000"), 3325953, "percentile: 99 is 3325953, and the bins give"),
    ((*CLAT, "percentile", "99.000000"), 1, "percentile: 99 is below 95: 1 < 1253376"),
    ((*CLAT, "percentile", "x"), 1, "jobs[0].read.clat_ns.percentile.x: is not a percentage"),
    ((*CLAT, "bins", "129"), 1, "hold 48436 samples"),
    ((*CLAT, "bins", "130"), 1, "jobs[0].read.clat_ns.bins.130: is not a bucket"),
    (CLAT, 5, "jobs[0].read.clat_ns: is not an object"),
    (("jobs", 0, "error"), None, "jobs[0].error: is missing"),
    (("jobs", 0, "jobname"), None, "jobs[0].jobname: is missing"),
    (("jobs", 0), 5, "jobs[0]: is not an object"),
    (("jobs",), {}, "jobs: is not a list"),
    (("jobs",), None, "has either 'jobs' or 'client_stats'; this has neither, or both"),
    (("client_stats",), [], "has either 'jobs' or 'client_stats'; this has neither, or both"),
    (("fio version",), "fio-2.21", "slat_ns: is of another version of fio, which writes 'slat'"),
    (("fio version",), "elbencho", "'fio version' is 'elbencho': not a fio result"),
]


@pytest.mark.parametrize(("place", "value", "message"), DAMAGE)
def test_a_number_that_its_neighbours_contradict_is_an_error_that_names_the_place(
    tmp_path, place, value, message
):
    path = changed(tmp_path, "rw75_jsonplus.json", lambda d: put(d, place, value))
    with pytest.raises(ParseError) as caught:
        read_fio(path)
    assert message in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    def message(path):
        with pytest.raises(ParseError) as caught:
            read_fio(path)
        return str(caught.value).removeprefix(f"{path}")

    def written(name, data):
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    assert message(tmp_path / "none.json") == ": there is no such file"
    assert message(tmp_path).startswith(": cannot be read: Is a directory")
    assert message(written("a", b"")) == ": the file is empty: fio wrote no result"
    assert message(written("b", b'{"x": "\xff"}')) == ":1: not UTF-8 text here"
    assert message(written("c.gz", b"\x1f\x8b\x08\x00")).startswith(": gzip data is cut off")
    assert message(written("d", b'{"fio version": "fio-3.33", "x": NaN}')).endswith(
        "NaN was found where a number belongs"
    )
    assert message(written("e", b"[" * 100_000)).endswith("begins '" + "[" * 80 + "'")
    assert "JSON is damaged" in message(written("f", b'{"a":' * 100_000))
    assert "JSON is damaged" in message(written("g", b'{"a": ' + b"1" * 5000 + b"}"))
    twice = b'{"fio version": "fio-3.33", "time": 1, "time": 2}'
    assert message(written("h", twice)).endswith("'time' appears twice, with different values")
    assert message(written("i", b'{"elbencho": 1}')).endswith("no 'fio version' in it")


RECORDED = {
    name: (DATA / name).read_text()
    for name in (
        "rw75_jsonplus.json",
        "randread_psync.json",
        "status_interval_4docs.json",
        "fdatasync.json",
        "two_sections_stonewall.json",
        "client-server/two_clients_jsonplus.stdout",
        "errors/sigint_rc128.stdout",
    )
}
MANY = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def outcome(text):
    """The load points of a text, or None where it is refused; nothing else may happen."""
    try:
        output, result = parse(text, "x.json")
        tables(result, "x.json")
        assert all(isinstance(line, str) for line in all_warnings(result, output))
        return load_points(result, "x.json")
    except ParseError:
        return None


@MANY
@given(st.sampled_from(sorted(RECORDED)), st.floats(0, 1, exclude_max=True))
def test_a_file_cut_off_anywhere_is_refused_or_gives_the_same_numbers(name, share):
    text = RECORDED[name]
    cut = text[: int(share * len(text))]
    if name.startswith("status"):
        cut = cut[cut.rfind("\n{\n") + 1 :]  # the whole documents before the cut are results
    found = outcome(cut)
    assert found is None or found.equals(outcome(text))


@MANY
@given(st.sampled_from(sorted(RECORDED)), st.integers(0, 2**32))
def test_bytes_changed_at_random_raise_nothing_but_parse_errors(name, seed):
    dice = random.Random(seed)
    text = bytearray(RECORDED[name].encode())
    for _ in range(dice.randint(1, 8)):
        text[dice.randrange(len(text))] = dice.choice(b'0123456789-+.eE"{}[],: \nxN')
    outcome(text.decode("utf-8", errors="replace"))


@pytest.mark.slow
@MANY
@given(st.sampled_from(sorted(RECORDED)), st.integers(0, 2**32))
def test_pieces_put_together_wrongly_raise_nothing_but_parse_errors(name, seed):
    dice = random.Random(seed)
    lines = RECORDED[name].splitlines(keepends=True)
    first, second = sorted(dice.choices(range(len(lines)), k=2))
    piece = lines[first:second]
    where = dice.randrange(len(lines))
    variants = [
        lines[:first] + lines[second:],
        lines[:where] + piece + lines[where:],
        piece + lines,
    ]
    for variant in variants:
        outcome("".join(variant))


@MANY
@given(st.integers(0, 2**32))
def test_one_digit_changed_in_rate_count_time_or_histogram_never_goes_unnoticed(seed):
    """Every number a load point is made of (but for latency moments) is held twice by fio."""
    dice = random.Random(seed)
    document = json.loads(RECORDED["rw75_jsonplus.json"])
    flow = document["jobs"][0][dice.choice(["read", "write"])]
    bins, percentiles = flow["clat_ns"]["bins"], flow["clat_ns"]["percentile"]
    holder, key = dice.choice(
        [
            (flow, "total_ios"),
            (flow, "runtime"),
            (flow, "io_bytes"),
            (flow["clat_ns"], "N"),
            (bins, dice.choice(list(bins))),
            (percentiles, dice.choice(list(percentiles))),
        ]
    )
    digits = list(str(holder[key]))
    # the leading digits: fio's rates are exact to 0.1 %
    place = dice.randrange(min(2, len(digits)))
    digits[place] = dice.choice([d for d in "123456789" if d != digits[place]])
    holder[key] = int("".join(digits))
    assert outcome(json.dumps(document)) is None


@pytest.mark.parametrize("check", ["sha256", "crc32c-intel", "md5"])
def test_a_verification_that_failed_is_fios_and_not_no_evidence(tmp_path, check):
    """fio 3 says so with the name of the check first; there may be no result behind it."""
    text = f"{check}: verify failed at file a.0.0 offset 4096, length 4096 (requested block: x)\n"
    (tmp_path / "out.txt").write_text(text)
    assert kind_of(tmp_path / "out.txt") == "fio"
    with pytest.raises(ParseError, match=f"the file begins '{check}: verify failed at file a"):
        read_fio(tmp_path / "out.txt")
