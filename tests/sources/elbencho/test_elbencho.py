"""elbencho's JSON lines and CSV, from recorded outputs whose numbers stand here by hand."""

import json
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import TESTS

import perfkit as pk
from perfkit.analysis.curves.metrics import load_text
from perfkit.core.errors import ParseError
from perfkit.formats import elbencho_json
from perfkit.formats.elbencho_json import Phase
from perfkit.sources.elbencho.command import option, partial
from perfkit.sources.elbencho.read import load_keys


@pytest.fixture
def data(fio_data):
    return fio_data.parent / "elbencho"


def points(reading, *columns):
    return reading.load_points.frame.select(columns).rows()


@pytest.fixture
def changed(data, tmp_path):
    """A recorded file with a text replaced."""

    def make(name, old, new, count=-1):
        text = (data / name).read_text()
        assert old in text
        place = tmp_path / name
        place.write_text(text.replace(old, new, count))
        return place

    return make


def test_a_mixed_phase_is_its_writes_and_its_reads(data):
    """elbencho's IOPS of RWMIX75 are 18,172: the writes alone. 54,567 reads stand elsewhere."""
    found = pk.read(data / "rwmix75.json")
    assert found.evidence.tool_version == "3.1-10"
    assert points(found, "direction", "ios", "lat_mean_s", "lat_min_s", "lat_max_s") == [
        ("read", 163_728, 206e-6, 15e-6, 9.759e-3),
        ("write", 54_525, 257e-6, 19e-6, 9.721e-3),
        ("total", 163_728 + 54_525, pytest.approx((163_728 * 206 + 54_525 * 257) / 218_253 * 1e-6),
         15e-6, 9.759e-3),
    ]  # fmt: skip
    iops = dict(points(found, "direction", "iops"))
    assert iops["write"] == pytest.approx(18_172, abs=1)
    assert iops["read"] == pytest.approx(54_567, abs=1)
    assert iops["total"] == pytest.approx(218_253 / 3.0)
    # four threads of depth 4 share the two directions
    assert points(found, "in_flight") == [(None,), (None,), (16.0,)]


def test_percentiles_are_the_upper_edges_that_elbencho_prints(data):
    """54,525 writes: the 95th percentile's rank, 51,799, is in 362-431us; elbencho says 431."""
    found = pk.read(data / "rwmix75.json")
    histogram = found.histogram.frame
    writes = histogram.filter(direction="write").sort("upper_s")
    running = writes["count"].cum_sum()
    (p95,) = (row for row in points(found, "direction", "lat_p95_s") if row[0] == "write")
    first = writes.filter(running >= 0.95 * 54_525).row(0, named=True)
    assert p95[1] == pytest.approx(first["upper_s"], abs=1e-9)
    assert first["upper_s"] / first["lower_s"] == pytest.approx(2**0.25, rel=1e-4)
    assert any("buckets 19% wide" in warning for warning in found.evidence.warnings)


def test_csv_tells_reads_and_writes_apart_and_has_no_percentiles(data):
    found = pk.read(data / "rwmix75.csv")
    assert points(found, "direction", "iops", "lat_mean_s", "lat_p99_s", "ios") == [
        ("read", 54_567.0, 206e-6, None, None),
        ("write", 18_172.0, 257e-6, None, None),
        ("total", 72_739.0, pytest.approx(218.7e-6, abs=1e-6), None, None),
    ]
    assert "histogram" in [s.name for s in found.evidence.sections if s.status == "absent"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_reader_threads_beside_writers_are_both_directions(data, form):
    assert [row[0] for row in points(pk.read(data / f"rwmixthr.{form}"), "direction")] == [
        "read", "write", "total",
    ]  # fmt: skip


@pytest.mark.parametrize("form", ["json", "csv"])
def test_last_done_is_the_rate_and_first_done_is_kept(data, form):
    found = pk.read(data / f"seq_wr.{form}")
    phases = found.phases.frame
    assert phases.select("operation", "first_done_s", "last_done_s").rows() == [
        ("WRITE", 0.116, 0.153),
        ("READ", 0.183, 0.232),
    ]
    assert points(found, "direction", "workload")[0] == ("write", "WRITE")


def test_phases_without_data_give_no_load_point(data):
    found = pk.read(data / "dropcache.json")
    assert found.phases.frame["operation"].to_list() == [
        "SYNC", "DROPCACHE", "READ", "SYNC", "DROPCACHE",
    ]  # fmt: skip
    assert found.load_points.frame.height == 2


def test_whole_mib_per_second_are_not_taken_for_bytes(data):
    """16 KiB files in no time: 84,566 IOPS, "0 ms" - no rate is made of it."""
    found = pk.read(data / "all_phases2.csv")
    reads = found.load_points.frame.filter(direction="read").row(0, named=True)
    assert (reads["iops"], reads["bw_bytes_per_s"]) == (None, None)


def test_two_hosts_have_their_threads_each(data):
    found = pk.read(data / "two_rand_read.json")
    assert points(found, "in_flight")[-1] == (2 * 2 * 4,)


def test_the_load_of_several_hosts_is_threads_over_all_of_them():
    """Four hosts with one thread each are not four jobs of one host."""
    counts = {"threads": "1", "io_depth": "1", "hosts": "4"}
    keys = load_keys(Phase("WRITE", 1, "", counts, 0, 1, ()))
    assert (keys["load_kind"], keys["load"]) == ("host_threads", 4.0)
    assert load_text("host_threads", 4.0) == "4 threads over all hosts"
    one = load_keys(Phase("WRITE", 1, "", {**counts, "threads": "4", "hosts": "1"}, 0, 1, ()))
    assert (one["load_kind"], one["load"]) == ("numjobs", 4.0)


def test_a_limited_rate_has_no_depth_in_flight(data):
    assert points(pk.read(data / "limitread.json"), "in_flight")[-1] == (None,)


@pytest.mark.parametrize("form", ["json", "csv"])
def test_what_an_interrupt_left_behind_is_no_result(data, form):
    with pytest.raises(ParseError, match=r"4\.001 s of a time limit of 15 s: it was interrupted"):
        pk.read(data / f"sig_INT.{form}")


def test_a_partial_row_among_whole_ones_is_left_out_with_its_line(data, tmp_path):
    both = tmp_path / "both.json"
    both.write_text((data / "seq_wr.json").read_text() + (data / "sig_INT.json").read_text())
    found = pk.read(both)
    assert found.phases.frame["line"].to_list() == [1, 2]
    assert found.evidence.warnings[0].startswith("line 3: the phase ended after 4.001 s")


def test_a_failed_run_leaves_a_header_and_is_no_result(data):
    with pytest.raises(ParseError, match="a header without one result"):
        pk.read(data / "err_enospc.csv")


@pytest.mark.parametrize("dropped", [1, 16])
def test_csv_of_other_column_counts_is_read_by_its_names(data, tmp_path, dropped):
    """55 columns, and without version, command and what else a version lacks."""
    lines = (data / "seq_wr.csv").read_text().splitlines()
    place = tmp_path / "old.csv"
    place.write_text("\n".join(",".join(line.split(",")[:-dropped]) for line in lines) + "\n")
    assert len(lines[0].split(",")) == 55
    kept = points(pk.read(place), "direction", "iops", "lat_mean_s")
    assert kept == points(pk.read(data / "seq_wr.csv"), "direction", "iops", "lat_mean_s")


def test_a_mixed_phase_without_the_columns_of_its_reads_is_refused(data, tmp_path):
    lines = (data / "rwmix75.csv").read_text().splitlines()
    place = tmp_path / "old.csv"
    place.write_text("\n".join(",".join(line.split(",")[:37]) for line in lines) + "\n")
    with pytest.raises(ParseError, match="2: RWMIX75 without the columns of its reads"):
        pk.read(place)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("seq_wr.csv", ",WRITE,", ",SCRUB,", "2: operation 'SCRUB' is unknown to perfkit"),
        ("seq_wr.csv", ",1047,", ",1047,1,", "2: 56 cells where 55 belong"),
        ("seq_wr.csv", ",1047,", ",1.047,", "2: IO lat us [avg]: '1.047' is not a whole number"),
        ("seq_wr.csv", "IOPS [last]", "IOPS", "1: no column 'IOPS [last]' in the header"),
        ("seq_wr.csv", ",command", ",IOPS [last]", "1: two columns are 'IOPS [last]'"),
        ("seq_wr.csv", ",1047,", ",9,", "2: IO lat us: a mean of 9 is not between 492 and 3360"),
        ("seq_wr.csv", ",153,", ",1530,", "2: MiB/s [last]: 1668 is not 256 MiB in 1530 ms"),
        ("seq_wr.csv", ",1668,1664", ",153,1664", "2: MiB/s [last]: 153 I/Os per second of 10485"),
        ("seq_wr.csv", ",1668,1664", ",1668000,1664", "2: WRITE: IOPS x mean latency are 1746.4 I"),
        ("seq_wr.json", '"READ"', '"REED"', "phase_type: 'REED' is not a phase that perfkit knows"),
        ("seq_wr.json", '"elapsed_time_ms":"232"', '"elapsed_time_ms":"2320"', "in 2.32 s"),
        ("rwmix75.json", '"range":"16-19us"', '"range":"16-18us"', "is not a bucket"),
        ("rwmix75.json", '"iops":"18172"', '"iops":"28172"', "does not agree with 54525 I/Os"),
        ("rwmix75.json", '"avg_us":"257"', '"avg_us":"9"', "9 is not between 19 and 9721"),
        ("rwmix75.json", '"bytes":"223334400"', '"bytes":"x"', "'x' is not a whole number"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_an_error_with_its_place(changed, name, old, new, said):
    with pytest.raises(ParseError) as refused:
        pk.read(changed(name, old, new))
    assert said in str(refused.value)


@given(st.data())
def test_a_file_cut_off_anywhere_is_an_error_or_whole_lines(drawn):
    source = elbencho_lines()
    cut = drawn.draw(st.integers(0, len(source) - 1))
    text = source[:cut]
    try:
        found = elbencho_json.phases(text, "cut.json")
    except ParseError:
        return
    whole = [line for line in source.splitlines() if line in text]
    assert len(found) == len(whole)


def elbencho_lines():

    folder = TESTS / "data" / "elbencho"
    return (folder / "seq_wr.json").read_text()


@given(st.integers(0, elbencho_json.BUCKETS - 2))
def test_buckets_join_and_double_every_four(index):
    lower, upper = elbencho_json.edges_us(index)
    assert upper == elbencho_json.edges_us(index + 1)[0]
    if index:
        assert upper / lower == pytest.approx(2**0.25)


def test_options_of_a_command_are_told_apart_from_its_paths():
    command = '"elbencho" "--csvfile" "a --infloop.csv" "--timelimit" "15" "-r" "f"'
    assert option(command, "--timelimit") == "15"
    assert option(command, "--infloop") is None
    assert option('"elbencho" "--timelimit=3"', "--timelimit") == "3"


@pytest.mark.parametrize(
    ("command", "ms", "moved", "said"),
    [
        ('"--infloop" "--timelimit" "3"', 3001, 5, None),
        ('"--infloop" "--timelimit" "3"', 2900, 5, "2.9 s of a time limit of 3 s"),
        ('"--infloop"', 2900, 5, "only an interrupt ended it"),
        ('"-w"', 100, 10, None),
        ('"-w"', 100, 9, "moved 9 of 10 bytes"),
        ('"--timelimit" "3"', 100, 10, None),
        ('"--randamount" "4"', 100, 4, None),
    ],
)
def test_a_phase_is_whole_by_its_time_or_its_bytes(command, ms, moved, said):
    found = partial(command, ms, moved, 10)
    assert found is None if said is None else said in (found or "")


def test_gzip_is_read_as_well(data, tmp_path):
    import gzip

    packed = tmp_path / "seq_wr.json.gz"
    packed.write_bytes(gzip.compress((data / "seq_wr.json").read_bytes()))
    shutil.copy(data / "seq_wr.json", tmp_path)
    assert json.dumps(points(pk.read(packed), "iops")) == json.dumps(
        points(pk.read(tmp_path / "seq_wr.json"), "iops")
    )


def test_the_live_file_gives_rates_from_its_bytes(data):
    """155,820,032 bytes in the first half second; elbencho's own 297 MiB/s are cut off."""
    found = pk.read(data / "rand_read2.live.csv")
    assert found.evidence.kind == "elbencho-live"
    total = found.series.frame.filter(rank="Total")
    assert total.select("t_s", "direction", "bw_bytes_per_s", "lat_mean_s").row(0) == (
        0.5, "read", 311_640_064.0, 209e-6,
    )  # fmt: skip
    threads = found.series.frame.filter(rank="0")
    assert threads["lat_mean_s"].null_count() == threads.height


def test_the_live_file_of_two_hosts_names_them(data):
    hosts = set(pk.read(data / "two_rand_read.live.csv").series.frame["host"])
    assert hosts == {None, "127.0.0.1:17611", "127.0.0.1:17612"}


def test_a_live_file_whose_bytes_go_back_is_damaged(changed):
    with pytest.raises(ParseError, match="4: time or bytes go back"):
        pk.read(changed("rwmix75.live.csv", ",74469376,", ",1,"))


def test_columns_that_perfkit_does_not_know_are_told(changed):
    """A latency in another unit is another column: null and told, never read as microseconds."""
    found = pk.read(changed("seq_wr.csv", ",IO lat us [", ",IO lat ms ["))
    assert found.load_points.frame["lat_mean_s"].to_list() == [None] * 4
    assert found.evidence.warnings[:2] == (
        "columns that perfkit does not know, not read: IO lat ms [min], IO lat ms [avg], "
        "IO lat ms [max]",
        "line 2: write: no latency in it: null",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'ISO DATE: 2026-01-01T00:00:00+0000\nCOMMAND LINE: "elbencho" "-r"\n\nOPERATION',
            "people",
        ),
        ('"ISO date","label"\n"2026","x"\n', "as a spreadsheet saved it"),
        ("ISO date;label;operation\n", "as a spreadsheet saved it"),
        ('{\n "phase_type": "READ"\n}\n', "it has one line a phase"),
    ],
)
def test_other_forms_of_its_output_are_named_with_the_cure(tmp_path, text, said):
    place = tmp_path / "x"
    place.write_text(text)
    with pytest.raises(ParseError, match=f"elbencho's .*{said}"):
        pk.read(place)


def test_a_column_of_the_live_file_that_is_there_twice_is_refused(changed):
    with pytest.raises(ParseError, match=":1: two columns are 'IOPS'"):
        pk.read(changed("rwmix75.live.csv", "Entries/s", "IOPS", 1))


def test_the_busy_share_of_a_phase_is_its_percentage(data, tmp_path):
    first = json.loads((data / "rwmix75.json").read_text().splitlines()[0])
    first["last_done"]["cpu%"] = "80"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(first) + "\n")
    assert pk.read(path).phases.frame["cpu_busy_ratio"].to_list() == [0.8]


OPERATIONS = """OPERATION RESULT TYPE        FIRST DONE  LAST DONE
========= ================   ==========  =========
WRITE     Elapsed ms       :      45260      45260
"""


@pytest.mark.parametrize(("head", "cure"), [
    ("", "or with --csvfile FILE, and read that file"),
    ('ISO DATE: 2022-03-14T11:34:56-0700\nCOMMAND LINE: "../bin/elbencho" "--resfile" "a.out" '
     '"--csvfile" "a.csv" "--write" "/mnt"\n\n', "read what the same run wrote with --csvfile"),
    ("threads : 56\nWorking on /data with 56 threads...\n", "and read that file"),
])  # fmt: skip
def test_the_text_for_people_names_what_to_read(tmp_path, head, cure):
    """What stands on the terminal, and what --resfile wrote beside a CSV of the same run."""
    (tmp_path / "a.out").write_text(head + OPERATIONS)
    with pytest.raises(ParseError, match=r"output for people \(--resfile\)") as refused:
        pk.read(tmp_path / "a.out")
    assert cure in str(refused.value)
