"""Client/server, several documents, other versions: the forms in which a result comes."""

import copy
import datetime as dt
import gzip
import json

import pytest

from perfkit.analysis.curves.metrics import load_text
from perfkit.core.errors import ParseError, UsageError
from perfkit.core.evidence import sha256_file
from perfkit.sources import read
from perfkit.sources.fio.read import read_fio

CLIENTS = "client-server"


@pytest.fixture
def changed(fio_data, tmp_path):
    """A recorded document with a change made to it, as a file."""

    def make(name, change):
        document = json.loads((fio_data / name).read_text())
        change(document)
        path = tmp_path / name
        path.write_text(json.dumps(document))
        return path

    return make


def total(reading):
    return reading.load_points.filter(direction="total").frame.row(0, named=True)


def test_two_clients_are_one_load_point_with_merged_percentiles(fio_data):
    reading = read_fio(fio_data / CLIENTS / "two_clients_jsonplus.stdout")
    assert total(reading)["ios"] == 123072 + 40998
    read_row = reading.load_points.filter(direction="read").frame.row(0, named=True)
    assert read_row["iops"] == pytest.approx(61505.247376, rel=1e-9)  # fio's own "All clients"
    assert read_row["lat_p99_s"] == 350208 / 1e9  # the hosts alone: 342016 and 354304
    assert total(reading)["in_flight"] == 16.0


def load_of_clients(fio_data, tmp_path, *changes):
    """The load of two clients, each of whose options (job, global) was changed so."""
    text = (fio_data / CLIENTS / "two_clients_jsonplus.stdout").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "clients.stdout"
    path.write_text(text)
    point = total(read_fio(path))
    return [point[name] for name in ("load_kind", "load", "held_kind", "held")]


def test_of_clients_that_did_the_same_the_jobs_of_all_are_held(fio_data, tmp_path):
    same = load_of_clients(fio_data, tmp_path)
    assert same == ["iodepth", 8.0, "host_numjobs", 2.0]  # a job of depth 8 on each of two
    assert load_text(*same[2:]) == "2 jobs over all hosts"
    not_given, counted = ('"iodepth" : "8"', '"thread" : "1"'), ('"8" : 99.99', '"8" : 0.00')
    one_deep = load_of_clients(fio_data, tmp_path, not_given, counted)
    assert one_deep == ["host_numjobs", 2.0, None, None]
    # a depth that fio counted and the file does not print is not 1
    assert load_of_clients(fio_data, tmp_path, not_given) == [None] * 4


def test_clients_that_did_not_do_the_same_have_no_load(fio_data, tmp_path):
    second = '"filename" : "/mnt/bench/data/cs2"'
    other = load_of_clients(fio_data, tmp_path, (second, f'{second}, "rwmixread" : "10"'))
    assert other == [None] * 4
    uneven = read_fio(fio_data / CLIENTS / "two_clients_nogroup.stdout.gz")  # 2 jobs beside 1
    assert total(uneven)["load"] is None


def test_the_row_all_clients_is_in_no_table(fio_data):
    summary = read_fio(fio_data / CLIENTS / "two_clients_jsonplus.stdout").summary.frame
    assert summary.select("jobname", "hostname", "port", "direction").rows() == [
        ("job1", "127.0.0.1", 8801, "read"),
        ("job1", "127.0.0.1", 8801, "write"),
        ("job1", "127.0.0.1", 8802, "read"),
        ("job1", "127.0.0.1", 8802, "write"),
    ]


def test_several_jobs_of_a_host_count_each(fio_data):
    reading = read_fio(fio_data / CLIENTS / "two_clients_nogroup.stdout.gz")
    assert total(reading)["ios"] == 109436 + 36590
    assert total(reading)["in_flight"] == 24.0  # two jobs on one host, one on the other


def test_a_client_row_that_is_missing_beside_all_clients_is_an_error(fio_data, tmp_path):
    text = (fio_data / CLIENTS / "two_clients_jsonplus.stdout").read_text()
    document = json.loads(text[text.index("\n{") :])
    del document["client_stats"][0]
    path = tmp_path / "one.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ParseError, match=r"'All clients' did 123072 read I/Os, the rows .* 60620"):
        read_fio(path)


def test_one_client_alone_is_read_and_marked(fio_data):
    reading = read_fio(fio_data / CLIENTS / "one_dead.stdout")
    assert any("does not say whether another one failed" in w for w in reading.evidence.warnings)
    assert total(reading)["ios"] == 46751 + 15543


def test_an_option_in_which_servers_differ_has_no_value(fio_data, tmp_path):
    text = (fio_data / CLIENTS / "two_clients_jsonplus.stdout").read_text()
    options = text[: text.index('"client_stats"')]
    changed_options = options.replace('"iodepth" : "8"', '"iodepth" : "9"', 1)
    path = tmp_path / "two.stdout"
    path.write_text(changed_options + text[len(options) :])
    shared = read_fio(path).job_options.filter(scope="global").frame
    assert "iodepth" not in shared["option"].to_list()
    assert "bs" in shared["option"].to_list()


def test_of_several_documents_the_last_is_the_result(fio_data):
    reading = read_fio(fio_data / "status_interval_4docs.json")
    assert total(reading)["ios"] == 232064
    assert any(w.startswith("3 interim results") for w in reading.evidence.warnings)


def test_text_around_the_json_is_counted_and_not_quoted(fio_data):
    reading = read_fio(fio_data / "other" / "mixed_formats.txt")
    assert total(reading)["ios"] == 103160 + 34353
    assert "43 lines of text around the JSON were not read" in reading.evidence.warnings


def test_gzip_is_read_as_it_lies_there(fio_data, tmp_path):
    plain = fio_data / "rw75.json"
    packed = tmp_path / "rw75.json.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert read(packed).load_points.hash == read(plain).load_points.hash
    assert read(packed).evidence.sha256 == sha256_file(packed)


def test_unknown_keys_are_tolerated(changed):
    def newer(document):
        document["fio version"] = "fio-3.42"
        document["jobs"][0] |= {"job_start": 1, "priohint": {"x": 1}}
        document["jobs"][0]["read"]["zone_resets"] = 0
        document["disk_util"][0]["read_sectors"] = 8

    reading = read_fio(changed("rw75_jsonplus.json", newer))
    assert reading.evidence.tool_version == "3.42"
    assert total(reading)["ios"] == 64586


@pytest.mark.parametrize("many", [True, False])
def test_global_options_may_be_an_object_or_a_list(changed, many):
    given = {"ioengine": "libaio"}
    reading = read_fio(
        changed("rw75.json", lambda d: d.update({"global options": [given] if many else given}))
    )
    shared = reading.job_options.filter(scope="global").frame
    assert shared.select("jobname", "option", "value").rows() == [(None, "ioengine", "libaio")]


def test_a_missing_number_is_null(changed):
    def without(document):
        job = document["jobs"][0]
        del job["usr_cpu"], job["read"]["slat_ns"], job["read"]["lat_ns"]["stddev"]

    row = read_fio(changed("rw75.json", without)).summary.frame.row(0, named=True)
    assert (row["fio_usr_ratio"], row["slat_n"], row["lat_stddev_s"]) == (None, None, None)
    assert row["lat_mean_s"] is not None


def test_the_direction_that_recorded_no_latency_leaves_the_total_without_a_mean(changed):
    def without(document):
        for kind in ("slat_ns", "clat_ns", "lat_ns"):
            document["jobs"][0]["write"][kind] = {"min": 0, "max": 0, "mean": 0, "N": 0}

    reading = read_fio(changed("rw75_jsonplus.json", without))
    assert total(reading)["lat_mean_s"] is None
    assert total(reading)["iops"] is not None
    assert any("fio recorded no latency" in w for w in reading.evidence.warnings)


def merge_sections(document):
    """What fio writes where group_reporting makes one entry of sections a and b."""
    job = document["jobs"][0]
    job["job options"]["name"] = "b"
    job["job_runtime"] *= 2


def test_options_of_another_section_are_not_taken_for_the_loads(changed):
    reading = read_fio(changed("rw75_jsonplus.json", merge_sections))
    assert (total(reading)["load"], total(reading)["in_flight"]) == (None, None)
    assert total(reading)["iops"] is not None
    assert (
        "job 'mix75' is several sections in one (group_reporting); "
        "only the options of 'b' are known"
    ) in reading.evidence.warnings


def test_a_job_whose_long_name_fio_cuts_off_is_one_section(changed):
    """fio 3 keeps 127 bytes of it in the result, and all of it in the job's options."""
    long = "block_size:4k,iodepth:16," * 7

    def rename(document):
        document["jobs"][0]["jobname"] = long[:127]
        document["jobs"][0]["job options"]["name"] = long

    reading = read_fio(changed("rw75_jsonplus.json", rename))
    assert total(reading)["load"] == 16
    assert not any("several sections" in text for text in reading.evidence.warnings)


@pytest.mark.parametrize("factor", [0, 2, 3])
def test_more_processes_than_the_options_say_leave_the_load_open(changed, factor):
    def more(document):
        document["jobs"][0]["job_runtime"] *= factor

    reading = read_fio(changed("rw75_jsonplus.json", more))
    assert (total(reading)["load"], total(reading)["in_flight"]) == (None, None)


@pytest.mark.parametrize(
    ("name", "workload"), [("oltp-qd{}", "oltp"), ("qd{}", "qd{}"), ("{}qd", "{}qd")]
)
def test_a_job_that_is_named_by_its_load_alone_keeps_its_name(changed, name, workload):
    def rename(document):
        for job in document["jobs"]:
            options = job["job options"]
            job["jobname"] = options["name"] = name.format(options["iodepth"])

    own = total(read_fio(changed("rw75_jsonplus.json", rename)))
    assert (own["workload"], own["load"]) == (workload.format(16), 16)


def test_an_entry_without_name_group_and_io_is_skipped(changed):
    def left_behind(document):
        empty = json.loads(json.dumps(document["jobs"][0]["trim"]))
        flows = dict.fromkeys(("read", "write", "trim"), empty)
        document["jobs"].append({"groupid": 2**32 - 1, "error": 0, **flows})

    reading = read_fio(changed("rw75_jsonplus.json", left_behind))
    assert reading.summary.frame["jobname"].unique().to_list() == ["mix75"]


def test_a_nameless_entry_that_did_io_is_an_error(changed):
    def nameless(document):
        del document["jobs"][0]["jobname"]
        document["jobs"][0]["groupid"] = 2**32 - 1

    with pytest.raises(ParseError, match=r"jobs\[0\]\.jobname: is missing"):
        read_fio(changed("rw75_jsonplus.json", nameless))


def test_a_job_that_burns_cpu_does_no_io(changed):
    def burner(document):
        job = json.loads(json.dumps(document["jobs"][0]))
        job |= {"jobname": "burn"}
        job["job options"] = {"name": "burn", "ioengine": "cpuio"}
        document["jobs"].append(job)

    reading = read_fio(changed("rw75_jsonplus.json", burner))
    assert total(reading)["ios"] == 64586
    assert "job 'burn' did no I/O" in reading.evidence.warnings


def test_the_number_of_jobs_is_the_load_where_each_keeps_one_in_flight(changed):
    def jobs(document):
        document["jobs"][0]["job options"] |= {"iodepth": "1", "numjobs": "4"}

    points = read_fio(changed("numjobs4_group_jsonplus.json", jobs)).load_points.frame
    assert points.select("load_kind", "load", "in_flight").rows() == [("numjobs", 4.0, 4.0)] * 2


def test_evidence_names_what_was_found(fio_data):
    evidence = read_fio(fio_data / "rw75.json", root=fio_data.parent).evidence
    assert (evidence.kind, evidence.path) == ("fio", "fio/rw75.json")
    assert (evidence.tool, evidence.tool_version) == ("fio", "3.33")
    assert evidence.sha256 == sha256_file(fio_data / "rw75.json")
    found = {section.name: (section.status, section.rows) for section in evidence.sections}
    assert found == {
        "summary": ("found", 2),
        "percentiles": ("found", 34),
        "histogram": ("absent", None),
        "job_options": ("found", 10),
        "disk_util": ("found", 1),
        "job_steady_state": ("absent", None),
        "sync": ("absent", None),
    }


def test_a_list_of_disks_that_is_empty_is_told_from_one_that_is_absent(changed):
    def status(change):
        sections = read_fio(changed("rw75.json", change)).evidence.sections
        return next(s.status for s in sections if s.name == "disk_util")

    assert status(lambda d: d.update(disk_util=[])) == "empty"
    assert status(lambda d: d.pop("disk_util")) == "absent"


def test_percentiles_on_too_few_samples_are_marked(fio_data):
    warnings = read_fio(fio_data / "rate_poisson_jsonplus.json").evidence.warnings
    assert warnings == ("read: too few I/Os for lat_p999_s, lat_p9999_s (lat_p999_s needs 10,000)",)


def test_the_record_holds_no_absolute_path_and_no_time(fio_data):
    for path in [*fio_data.glob("*.json"), *fio_data.glob("client-server/*")]:
        try:
            reading = read_fio(path, root=fio_data)
        except ParseError:
            continue
        record = json.dumps(reading.load_points.lineage.record())
        for word in (str(fio_data), "/mnt", "data/f1", "<vm>", "2026", "127.0.0.1"):
            assert word not in record, (path, word)


def test_an_unknown_label_is_refused(fio_data):
    with pytest.raises(UsageError, match="no label 'sytem'; did you mean 'system'"):
        read_fio(fio_data / "rw75.json", labels={"sytem": "A"})


def appended(tmp_path, *documents):
    """A file of several documents, one after the other, as ``fio ... >> FILE`` leaves them."""
    path = tmp_path / "several.json"
    path.write_text("".join(f"{json.dumps(document, indent=2)}\n" for document in documents))
    return path


def run_at(document, *, after_s=0, ios=None, **options):
    """The same job as another run: later, with other options, with fewer I/Os at the same rate."""
    made = copy.deepcopy(document)
    made["timestamp"] += after_s
    made["timestamp_ms"] += after_s * 1000
    ended = dt.datetime.strptime(made["time"], "%a %b %d %H:%M:%S %Y")  # noqa: DTZ007
    made["time"] = (ended + dt.timedelta(seconds=after_s)).strftime("%a %b %d %H:%M:%S %Y")
    made["jobs"][0]["job options"] |= options
    return made


@pytest.fixture
def reads(fio_data):
    return json.loads((fio_data / "randread_libaio_qd16.json").read_text())


@pytest.fixture
def mixed(fio_data):
    return json.loads((fio_data / "rw75.json").read_text())


def keyed(found):
    frame = found.load_points.filter(direction="total").frame
    return frame.select("workload", "load", "repeat", "ios").rows()


def test_runs_that_were_appended_to_one_file_are_results_each(reads, mixed, tmp_path):
    """``fio --output-format=json >> FILE``: the last of them is not a result of the others."""
    deeper = run_at(reads, after_s=60, iodepth="64")
    other = run_at(mixed, after_s=7 * 86400)
    found = read_fio(appended(tmp_path, reads, deeper, other))
    name = reads["jobs"][0]["jobname"]
    assert keyed(found)[:2] == [(name, 16, None, 91924), (name, 64, None, 91924)]
    assert found.load_points.frame["workload"].n_unique() == 2
    assert found.job_options.frame["groupid"].drop_nulls().unique(
        maintain_order=True
    ).to_list() == [0, 1, 2]
    assert not len(found.disk_util)
    (disks,) = (part for part in found.evidence.sections if part.name == "disk_util")
    assert (disks.status, disks.reason[:23]) == ("unparsed", "results of several runs")


def test_options_of_the_file_stay_with_the_run_that_had_them(reads, tmp_path):
    first = run_at(reads)
    first["global options"] = {"invalidate": "1", "bs": "4k"}
    later = run_at(reads, after_s=60, iodepth="64")
    later["global options"] = {"invalidate": "0", "bs": "4k"}
    rows = read_fio(appended(tmp_path, first, later)).job_options.frame
    assert rows.filter(option="invalidate").select("groupid", "scope", "value").rows() == [
        (0, "job", "1"), (1, "job", "0"),
    ]  # fmt: skip


def test_runs_of_one_job_in_one_file_are_its_repeats(reads, tmp_path):
    again = [run_at(reads, after_s=60 * n) for n in range(3)]
    found = read_fio(appended(tmp_path, *again))
    assert [row[2] for row in keyed(found)] == [1, 2, 3]
    # a run that stands there twice was done once
    assert [row[2] for row in keyed(read_fio(appended(tmp_path, *again, again[0])))] == [1, 2, 3]
    assert total(read_fio(appended(tmp_path, reads, reads)))["ios"] == 91924


def test_of_each_run_the_last_state_counts(reads, tmp_path):
    interim, deeper = run_at(reads), run_at(reads, after_s=60, iodepth="64")
    interim["jobs"][0]["read"]["total_ios"] -= 1
    found = read_fio(appended(tmp_path, interim, reads, deeper))
    assert [row[1:] for row in keyed(found)] == [(16, None, 91924), (64, None, 91924)]
    assert any("1 interim results before the last one" in t for t in found.evidence.warnings)


def test_short_runs_that_follow_at_once_are_told_apart_by_their_clocks(reads, tmp_path):
    """Runs of a second begin less apart than fio's age is exact: their I/O did not overlap."""
    first = copy.deepcopy(reads)
    lasted = first["jobs"][0]["read"]["runtime"]
    first["jobs"][0]["elapsed"] = -(-lasted // 1000)
    again = copy.deepcopy(first)
    again["timestamp_ms"] += lasted + 120
    assert [row[2] for row in keyed(read_fio(appended(tmp_path, first, again)))] == [1, 2]


def test_runs_of_clients_that_were_appended_are_results_each(fio_data, tmp_path):
    """Clients tell no age: their clocks and run times say that one run had ended before another."""
    text = (fio_data / "client-server" / "two_clients_jsonplus.stdout").read_text()
    first = json.loads(text[text.index("{\n") :])
    later = copy.deepcopy(first)
    later["timestamp"] += 3600
    if "timestamp_ms" in later:
        later["timestamp_ms"] += 3_600_000
    found = read_fio(appended(tmp_path, first, later))
    assert [row[2] for row in keyed(found)] == [1, 2]
    assert not any("without a sum over clients" in t for t in found.evidence.warnings)
    alone = json.loads((fio_data / "randread_libaio_qd16.json").read_text())
    both = appended(tmp_path, first, {**alone, "fio version": first["fio version"]})
    with pytest.raises(ParseError, match="of one host and of clients"):
        read_fio(both)


def test_runs_that_cannot_be_one_result_are_refused_by_their_line(reads, fio_data, tmp_path):
    second = json.dumps(reads, indent=2).count("\n") + 2
    deeper = run_at(reads, after_s=60, iodepth="64")

    def refused(other, said, *, cut=None):
        path = appended(tmp_path, reads, other)
        path.write_text(path.read_text()[:cut])
        with pytest.raises(ParseError, match=said) as problem:
            read_fio(path)
        assert f":{second}" in str(problem.value) or f"line {second}" in str(problem.value) or cut

    less = run_at(reads)
    less["jobs"][0]["read"]["total_ios"] -= 1
    refused(less, "at the same time as that of line 1")
    refused(run_at(reads, iodepth="64"), "at the same time as that of line 1")
    refused({**deeper, "fio version": "fio-3.1"}, "several versions of fio")
    refused({**deeper, "jobs": []}, f"the result of line {second}: no job in it")
    failed = copy.deepcopy(deeper)
    failed["jobs"][0]["error"] = 5
    refused(failed, f"the result of line {second}: job .* reports error 5")
    wrong = copy.deepcopy(deeper)
    wrong["jobs"][0]["read"]["iops"] = 1.0
    refused(wrong, rf"json:{second}: jobs\[0\].read.iops: 1.0 does not agree")
    refused(deeper, r"several.json:\d+: JSON is cut off or damaged here", cut=-200)


def test_an_interim_state_need_not_agree_with_itself(fio_data, tmp_path):
    """fio wrote it while its counters moved: only the last document is held to its numbers."""
    final = json.loads((fio_data / "randread_libaio_qd16.json").read_text())
    interim = copy.deepcopy(final)
    interim["jobs"][0]["read"]["iops"] = 1.0
    assert total(read_fio(appended(tmp_path, interim, final)))["ios"] == 91924


def test_a_result_without_any_job_is_refused(changed):
    def empty(document):
        document["jobs"] = []

    with pytest.raises(ParseError, match="no job in it: 'jobs' is empty"):
        read_fio(changed("randread_libaio_qd16.json", empty))


def test_a_latency_below_a_part_of_itself_is_damage(changed):
    """lat is submission plus completion: in microseconds it falls below its own parts."""

    def in_microseconds(document):
        for name in ("min", "mean", "max"):
            document["jobs"][0]["read"]["lat_ns"][name] /= 1000

    with pytest.raises(ParseError, match=r"jobs\[0\].read.lat_ns: a mean of .* is below that of"):
        read_fio(changed("randread_libaio_qd16.json", in_microseconds))


@pytest.mark.parametrize(("direct", "in_flight"), [("1", 16.0), ("0", None)])
def test_buffered_libaio_keeps_an_unknown_number_in_flight(changed, direct, in_flight):
    """Linux queues libaio's direct I/O alone: the depth asked for is not a number in flight."""

    def with_direct(document):
        document["jobs"][0]["job options"]["direct"] = direct

    row = total(read_fio(changed("randread_libaio_qd16.json", with_direct)))
    assert (row["load_kind"], row["load"], row["in_flight"]) == ("iodepth", 16.0, in_flight)
