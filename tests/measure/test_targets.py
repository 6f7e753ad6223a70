"""Several targets as one load, files in each, a load beside, trim and verification."""

import json
import subprocess
from configparser import ConfigParser

import pytest

import perfkit as pk
from perfkit.analysis.over_time.pauses import pauses
from perfkit.core.answers import from_frame
from perfkit.core.errors import RunError, SafetyError, UsageError
from perfkit.measure import named_target, point_runner
from perfkit.measure.engines.jobfile import point_job
from perfkit.measure.named_target import NamedTarget
from perfkit.measure.points import planned_points
from perfkit.measure.probe.ask import target as look
from perfkit.measure.safety.judge import identity
from perfkit.measure.sweep import default_run_id, run_sweep
from perfkit.measure.targets import check_apart, name_targets
from perfkit.measure.workloads import named_workload

MIB = 1 << 20


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"targets": "/a"}, "targets: one alone is the target of the sweep; name two or more"),
        ({"targets": "/a,/a"}, "targets: one is named twice"),
        ({"targets": "/a,/b", "load": {"rate_iops": [101]}}, "101 IOPS cannot be spread evenly ov"),
        ({"files": 0}, "files: "),
        ({"files": 2, "pattern": "sequential"}, "files: each sequential stream has a part of one"),
        ({"trim": True}, "read_percent: a load that trims reads nothing; set it to 0"),
        ({"trim": True, "read_percent": 0, "verify": True}, "verify: what is trimmed holds noth"),
        ({"verify": True, "data": {"dedupe_percent": 9}}, "verify: it writes blocks of its own"),
        ({"numa": {"nodes": "0"}, "cpus": "0"}, "numa: it cannot be combined with cpus"),
        ({"numa": {"nodes": "0", "memory": "all"}}, "numa.memory: "),
        ({"fio_options": {"numa_cpu_nodes": 0}}, "perfkit sets it itself, from numa.nodes"),
        ({"fio_options": {"nrfiles": 4}}, "nrfiles: perfkit sets it itself, from files"),
        ({"background": {"target": "/b"}}, "background.rate_iops: "),
        ({"background": {"target": "/b", "rate_iops": 10, "read_percent": 101}}, "less than or"),
        ({"background": {"target": "/b", "rate_iops": 10, "block_size": 100}}, "background."),
        ({"background": {"target": "/b", "rate_iops": 2, "numjobs": 3}}, "background.rate_iops: "),
        ({"background": {"target": "/b", "rate_iops": 9}, "targets": "/a,/b"}, "one of the measur"),
        ({"background": {"target": "/b", "rate_iops": 9}, "hosts": ("a", "b")}, "evenly over 2 h"),
        ({"events": [{"name": "a", "command": "x", "at": "99s"}]}, "events: a would come after"),
        ({"events": [{"name": "a", "command": "x", "at": 1}] * 2}, "events: two have one name"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_anything_is_touched(fields, said):
    with pytest.raises(UsageError) as refused:
        named_workload("oltp-select", **fields)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "fields",
    [
        {"targets": "/a,/b"}, {"files": 2}, {"trim": True, "read_percent": 0}, {"verify": True},
        {"background": {"target": "/b", "rate_iops": 9}},
        {"numa": {"nodes": "0", "memory": "bind:0"}},
    ],
)  # fmt: skip
def test_what_elbencho_cannot_do_names_field_and_engine(fields):
    with pytest.raises(UsageError, match=f"^{next(iter(fields))}.*elbencho.*use fio"):
        named_workload("oltp-select", engine="elbencho", **fields)


def test_each_target_is_a_group_of_jobs_and_does_the_whole_load():
    spec = named_workload(
        "oltp-mixed", load={"rate_iops": [4000]}, targets=("/a", "/b"), files=2, numjobs=2,
        background={"target": "/c", "rate_iops": 100, "read_percent": 40}, block_size="8k",
        file_size="1 GiB", numa={"nodes": "0", "memory": "local"},
    )  # fmt: skip
    [point, *_] = planned_points(spec)
    job = ConfigParser()
    job.read_string(point_job(spec, point, "a1:a2", "b1:b2", background="c"))
    assert job.sections() == ["global", "load", "load-at-2", "background", "background-2"]
    assert (job["global"]["numa_cpu_nodes"], job["global"]["numa_mem_policy"]) == ("0", "local")
    # to fio a file of [global] would be a file of every section, beside its own
    assert "filename" not in job["global"]
    assert [job[name].get("filename") for name in job.sections()[1:]] == [
        "a1:a2",
        "b1:b2",
        "c",
        "c",
    ]
    for name in ("load", "load-at-2"):
        # 2,000 I/Os of 4,000 on each, by two jobs; fio's size is of both files
        assert (job[name]["rate_iops"], job[name]["numjobs"]) == ("800,200", "2")
        assert job[name]["size"] == str(2 << 30)
    assert "new_group" not in job["load"]
    assert job["load-at-2"]["new_group"] == job["background"]["new_group"] == "1"
    assert (job["background"]["rw"], job["background"]["rate_iops"]) == ("randread", "40")
    assert (job["background-2"]["rw"], job["background-2"]["rate_iops"]) == ("randwrite", "60")
    closed = named_workload("oltp-select", targets=("/a", "/b"), load={"iodepth": [4]}, numjobs=3)
    assert planned_points(closed)[0].in_flight(closed) == 24


@pytest.mark.slow
def test_each_load_goes_to_its_own_files_alone(tmp_path):
    """By fio's own log of every I/O."""
    files = ["a1", "a2", "b1", "b2", "c"]
    for name in files:
        (tmp_path / name).write_bytes(bytes(MIB))
    spec = named_workload(
        "oltp-mixed", load={"iodepth": [2]}, targets=("/a", "/b"), files=2, runtime="1s", ramp=0,
        background={"target": "/c", "rate_iops": 100, "read_percent": 0, "file_size": "1 MiB"},
        file_size="1 MiB", direct=False, ioengine="io_uring", block_size="8k",
    )  # fmt: skip
    job = ConfigParser()
    job.read_string(point_job(spec, planned_points(spec)[0], "a1:a2", "b1:b2", background="c"))
    for name in job.sections()[1:]:
        job[name]["write_iolog"] = f"{name}.iolog"
    with (tmp_path / "job.fio").open("w") as file:
        job.write(file, space_around_delimiters=False)
    subprocess.run(["fio", "--output=x", "job.fio"], cwd=tmp_path, check=True)
    touched = {}
    for name in job.sections()[1:]:
        lines = [line.split() for line in (tmp_path / f"{name}.iolog").read_text().splitlines()]
        touched[name] = {line[-4] for line in lines if line[-3:-2] in (["read"], ["write"])}
    assert touched == {"load": {"a1", "a2"}, "load-at-2": {"b1", "b2"}, "background": {"c"}}


def test_a_record_names_no_path_of_a_target(tmp_path):
    beside = {"target": str(tmp_path / "c"), "rate_iops": 9}
    spec = named_workload("oltp-select", targets=("/a", "/b"), background=beside)
    record = json.dumps(spec.record())
    assert '"targets": 2' in record
    assert str(tmp_path) not in record
    other = spec.model_copy(update={"targets": ("/a", "/d")})
    assert default_run_id(spec, tmp_path, tmp_path) != default_run_id(other, tmp_path, tmp_path)


@pytest.fixture
def folders(tmp_path):
    found = [tmp_path / name for name in ("a", "b", "c")]
    for folder in found:
        folder.mkdir()
    return found


def apart(tmp_path, *targets, **fields):
    spec = named_workload("oltp-select", targets=tuple(map(str, targets)), **fields)
    check_apart(name_targets(spec, targets[0], tmp_path, ()).folders)


def test_one_target_under_two_names_and_one_in_another_are_refused(folders, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(folders[0])
    inner = folders[1] / "x"
    inner.mkdir()
    with pytest.raises(SafetyError, match="both are the same"):
        apart(tmp_path, folders[0], link)
    with pytest.raises(SafetyError, match=r"b/x lies in .*b$"):
        apart(tmp_path, folders[1], inner)
    beside = {"target": str(inner), "rate_iops": 9}
    with pytest.raises(SafetyError, match=r"b/x lies in .*b$"):
        apart(tmp_path, folders[0], folders[1], background=beside)
    apart(tmp_path, folders[0], inner)


def test_one_device_under_two_names_is_refused(folders, tmp_path, loops):
    image = tmp_path / "image"
    image.write_bytes(bytes(4 * MIB))
    one, other = loops(image), loops(image)
    node = tmp_path / "node"
    subprocess.run(["cp", "-a", one, node], check=True)
    with pytest.raises(SafetyError, match="both are the same device"):
        apart(tmp_path, one, other)
    with pytest.raises(SafetyError, match="both are the same device"):
        apart(tmp_path, one, node)
    apart(tmp_path, one, folders[0])


def test_a_device_and_a_folder_on_it_are_refused(tmp_path, mounted):
    point = mounted(16)
    [device] = subprocess.check_output(["findmnt", "-no", "SOURCE", point], text=True).split()
    with pytest.raises(SafetyError, match=f"the device carries {point}"):
        apart(tmp_path, device, point)


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """A run of two targets with two files each, a load beside it, and an event."""
    base = tmp_path_factory.mktemp("together")
    for name in "abc":
        (base / name).mkdir()
    spec = named_workload(
        "oltp-mixed", targets=(str(base / "a"), str(base / "b")), files=2, file_size="2 MiB",
        load={"iodepth": [2]}, runtime=1, ramp=0, repeats=1, ioengine="libaio",
        background={
            "target": str(base / "c"), "rate_iops": 200, "read_percent": 0, "file_size": "2 MiB",
        },
        events=[{"name": "takeover", "command": "echo node B; exit 3", "at": "300ms"}],
    )  # fmt: skip
    run = run_sweep(spec, base / "a", runs_dir=base / "runs", progress=lambda _: None)
    return base, run


def point_of(run):
    [folder] = (run / "points").iterdir()
    return json.loads((folder / "point.json").read_text()), folder


@pytest.mark.slow
def test_what_each_target_did_is_the_tools_own_account(together):
    _, run = together
    point, folder = point_of(run)
    jobs = {job["jobname"]: job for job in json.loads((folder / "fio.json").read_text())["jobs"]}
    said = {(row["target"], row["direction"]): row["io_bytes"] for row in point["by_target"]}
    assert said == {
        (number, way): jobs[name][way]["io_bytes"]
        for number, name, ways in (
            (1, "load", ("read", "write")), (2, "load-at-2", ("read", "write")),
            (0, "background", ("write",)),
        )
        for way in ways
    }  # fmt: skip
    assert min(said.values()) > 0
    assert point["in_flight"] == 4


@pytest.mark.slow
def test_the_load_beside_is_in_no_number_of_the_measured_one(together):
    _, run = together
    point, folder = point_of(run)
    reading = pk.read(run)
    [total] = reading.load_points.frame.filter(direction="total").to_dicts()
    assert total["ios"] == sum(row["ios"] for row in point["by_target"] if row["target"])
    assert "background" not in " ".join(map(str, reading.job_options.frame.rows()))
    # its logs have names of their own
    assert {path.name.split("_")[0] for path in folder.glob("*_clat_hist*")} == {"background"}


@pytest.mark.slow
def test_every_file_of_every_target_is_proved_and_removed(together):
    base, run = together
    point, folder = point_of(run)
    assert set(point["target"]["after"]) == {
        *(f"target {target}, file {file}" for target in (1, 2) for file in (1, 2)),
        "background target",
    }
    record = json.loads((run / "run.json").read_text())
    named = [(each["number"], each["directory_label"]) for each in record["targets"]]
    assert named == [(1, "../a"), (2, "../b"), (0, "../c")]
    assert str(base) not in (run / "run.json").read_text() + (folder / "job.fio").read_text()
    assert [list((base / name).iterdir()) for name in "abc"] == [[], [], []]


@pytest.mark.slow
def test_an_event_stands_in_the_record_with_its_time_and_its_failure(together):
    point, _ = point_of(together[1])
    [event] = point["events"]
    assert event["t_s"] == pytest.approx(0.3, abs=0.2)
    assert (event["name"], event["text"], event["problem"]) == ("takeover", "node B", "exit code 3")
    [told] = [text for text in point["warnings"] if "takeover" in text]
    assert told == "the event takeover of the load failed: exit code 3"
    # the series begins with the measurement, events with the point
    assert 0 <= point["measured_from_s"] < point["wall_s"] - 0.9


@pytest.fixture
def verified(target, runs, small, monkeypatch):
    """Run a sweep with a verification; ``plant`` changes the file between its two passes."""
    real, plants = point_runner.work, []

    def work(tool, plan, places, folder, *, what, **options):
        real(tool, plan, places, folder, what=what, **options)
        if plants and what == "write":
            [file] = target.glob("perfkit-*/*.dat")
            with file.open("r+b") as opened:
                plants[0](opened)

    def run(*planted):
        plants[:] = planted
        monkeypatch.setattr(point_runner, "work", work)
        spec = small(load={"iodepth": [2]}, file_size="2 MiB", verify=True)
        return run_sweep(spec, target, runs_dir=runs, run_id="r")

    return run


@pytest.mark.slow
def test_what_was_written_is_verified_once_after_the_last_point(verified):
    run = verified()
    found = json.loads((run / "run.json").read_text())["verification"]
    assert (found["verified"], found["verified_bytes"]) == (True, 2 * MIB)
    jobs = json.loads((run / "verify" / "read" / "fio.json").read_text())["jobs"]
    assert jobs[0]["read"]["io_bytes"] == 2 * MIB
    assert "verify" not in point_of(run)[1].joinpath("job.fio").read_text()
    written = (run / "verify" / "read").stat().st_ino
    verified()
    assert (run / "verify" / "read").stat().st_ino == written


def overwrite(file):
    file.seek(5 * 8192 + 100)
    file.write(b"planted")


def swap(file):
    """Two whole blocks, each in the other's place: each has a right checksum."""
    blocks = []
    for place in (3, 9):
        file.seek(place * 8192)
        blocks.append(file.read(8192))
    for place, block in zip((9, 3), blocks, strict=True):
        file.seek(place * 8192)
        file.write(block)


@pytest.mark.slow
@pytest.mark.parametrize(("plant", "at"), [(overwrite, {5}), (swap, {3, 9})])
def test_a_wrong_block_is_an_error_with_its_offset(plant, at, verified, runs):
    with pytest.raises(RunError, match=r"verification: read: .* offset \d+"):
        verified(plant)
    found = json.loads((runs / "r" / "run.json").read_text())["verification"]
    assert not found["verified"]
    assert found["wrong_at_byte"] in {place * 8192 for place in at}
    assert any("verification" in text for text in pk.read(runs / "r").evidence.warnings)


def test_a_device_that_cannot_trim_is_refused(tmp_path, monkeypatch):
    """And a folder, whose file could only be punched full of holes."""
    spec = named_workload("oltp-select", trim=True, read_percent=0)
    plain = NamedTarget(spec, tmp_path, "x", (), None)
    with pytest.raises(SafetyError, match="trim: only devices are trimmed; name one"):
        plain.check_kind()
    monkeypatch.setattr(NamedTarget, "on_device", property(lambda _: True))
    for told in ({"discard_bytes": 0}, {"discard_bytes": None}, {}):
        monkeypatch.setattr(named_target, "look", lambda _, told=told: told)
        with pytest.raises(SafetyError, match="trim: this device does not support it"):
            plain.check_kind()
    monkeypatch.setattr(named_target, "look", lambda _: {"discard_bytes": 4096})
    plain.check_kind()


@pytest.mark.slow
def test_a_pause_that_an_event_makes_is_found_to_a_fifth_of_a_second(mounted, runs, small):
    """The file system is frozen for 0.8 s, by an event of a point that writes."""
    folder = mounted()
    freeze = f"fsfreeze -f {folder}; sleep 0.8; fsfreeze -u {folder}"
    spec = small(
        "oltp-update", load={"iodepth": [4]}, runtime="4s",
        events=[{"name": "frozen", "command": freeze, "at": "1500ms"}],
    )  # fmt: skip
    found = pk.read(run_sweep(spec, folder, runs_dir=runs))
    told = {a.question: a for a in from_frame(
        pauses(found.series, found.events, found.points).frame)
        if a.subject.get("event") == "frozen"}  # fmt: skip
    took_s = found.events.frame["took_s"][0]
    assert told["io_pause"].got.value == pytest.approx(took_s, abs=0.2)


@pytest.mark.slow
def test_a_device_is_trimmed_and_nothing_else_is(loop, target, runs):
    spec = named_workload(
        "oltp-select", trim=True, read_percent=0, file_size="8 MiB", load={"iodepth": [2]},
        runtime="500ms", ramp=0, repeats=1, ioengine="libaio", block_size=4096,
    )  # fmt: skip
    with pytest.raises(SafetyError, match="trim: only devices are trimmed"):
        run_sweep(spec, target, runs_dir=runs)
    with pytest.raises(SafetyError, match="this overwrites"):
        run_sweep(spec, loop, runs_dir=runs)
    run = run_sweep(spec, loop, runs_dir=runs, consents=[identity(look(str(loop)))])
    rows = pk.read(run).load_points.frame
    assert set(rows["direction"]) == {"trim", "total"}
    assert rows["iops"].min() > 0
