"""Recorded fio outputs, and run directories built from them."""

import hashlib
import json
import shutil

import pytest
from places import TESTS

FIO = TESTS / "data" / "fio"

HOST_CSV = (
    "t_s,cpu_busy_ratio,cpu_user_ratio,cpu_system_ratio,cpu_iowait_ratio,memory_used_bytes,"
    "memory_available_bytes,disk_read_bytes_per_s,disk_write_bytes_per_s,disk_read_iops,"
    "disk_write_iops\n"
    "1.0,0.9,0.1,0.8,0.0,1000,5000,,,,\n"
    "2.0,0.25,0.05,0.2,0.5,1001,4999,4096.5,0.0,1.5,0.0\n"
    "3.0,0.75,0.25,0.5,0.0,1002,4998,8192.0,0.0,2.0,0.0\n"
)


@pytest.fixture(scope="session")
def fio_data():
    """The folder of recorded fio outputs."""
    return FIO


class RunBuilder:
    """Builds a run directory in the format of ``perfkit run`` from recorded fio outputs."""

    def __init__(self, folder):
        self.folder = folder
        self.planned = []
        (folder / "points").mkdir(parents=True)
        self.run = {
            "format": 1,
            "perfkit": "0.0",
            "run_id": folder.name,
            "engine": "fio",
            "tool": {"name": "fio", "version": "fio-3.33", "sha256": "ab"},
            "spec": {"workload": "oltp-select", "ramp_s": 1.0, "load": {"points": [1, 2]}},
            "host": {"kernel": "Linux 6", "cpu_threads": 2, "cpu_governor": None},
            "target": {"filesystem": "ext4", "device": {"name": "vda"}},
            "warnings": [],
            "started_utc": "2026-11-21T00:00:00+00:00",
        }

    def point(self, name, source, *, directions=("read",), **facts):
        """Add a planned, accepted point with a recorded output as its result."""
        self.planned.append(name)
        place = self.folder / "points" / name
        place.mkdir()
        shutil.copyfile(FIO / source, place / "fio.json")
        (place / "host.csv").write_text(HOST_CSV)
        kind, load, repeat = name.rsplit("-", 2)
        record = {
            "format": 1,
            "name": name,
            "workload": "oltp-select",
            "load_kind": kind,
            "load": int(load),
            "repeat": int(repeat.removeprefix("r")),
            "order": len(self.planned),
            "accepted": True,
            "reason": None,
            "exit_code": 0,
            "wall_s": 2.4,
            "closed_loop": True,
            "in_flight": int(load),
            "target_iops": None,
            "expected_directions": list(directions),
            "warnings": [],
            "cycles": None,
        }
        (place / "point.json").write_text(json.dumps({**record, **facts}))
        return place

    def write(self, **changes):
        """Write run.json and give the folder."""
        spec = json.dumps(self.run["spec"], sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(spec.encode()).hexdigest()
        record = {**self.run, "spec_sha256": digest, "points_planned": self.planned, **changes}
        (self.folder / "run.json").write_text(json.dumps(record))
        return self.folder


@pytest.fixture
def builder(tmp_path):
    """An empty run directory to add points to."""
    return RunBuilder(tmp_path / "runs" / "try")
