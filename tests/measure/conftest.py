"""What the runner's tests share: small sweeps, a target folder, silence, a way to start perfkit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from perfkit.measure.validity import beside
from perfkit.measure.workloads import named_workload

HERE = Path(__file__).parent
SAMPLES = HERE.parent / "data" / "fio"


@pytest.fixture(autouse=True)
def _silent(monkeypatch):
    monkeypatch.setenv("PERFKIT_PROGRESS", "none")


LIMITS = {
    name: getattr(beside, name)
    for name in ("BUSY_BEFORE", "BUSY_DURING", "OTHER_CPU", "OTHER_IO", "STOLEN")
}


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    """What else runs on the machine of the tests is not a caution, but where a test asks for it."""
    for name in LIMITS:
        monkeypatch.setattr(beside, name, 2.0)


@pytest.fixture
def crowded(_alone, monkeypatch):
    """The cautions about other work on the host and its disk, as users have them."""
    for name, value in LIMITS.items():
        monkeypatch.setattr(beside, name, value)


@pytest.fixture
def recorded():
    """The text of a recorded fio output, by name."""

    def read(name):
        places = [HERE / "data" / name, SAMPLES / name, SAMPLES / "errors" / name]
        found = [path for path in places if path.exists()]
        if not found:
            raise FileNotFoundError(name)
        return found[0].read_text(encoding="utf-8")

    return read


@pytest.fixture
def small():
    """A sweep of a named workload that takes a fraction of a second a point."""

    def make(workload="oltp-select", **overrides):
        tiny = {"file_size": "8 MiB", "runtime": "300ms", "ramp": 0, "repeats": 1}
        if "load" not in overrides and workload.startswith("oltp"):
            tiny["load"] = {"iodepth": [1, 4]}
        return named_workload(workload, **{**tiny, **overrides})

    return make


@pytest.fixture
def target(tmp_path):
    folder = tmp_path / "target"
    folder.mkdir()
    return folder


@pytest.fixture
def own(target):
    """The target file: the one of that name in a directory of perfkit's making."""

    def find(name="perfkit-8388608.dat"):
        return next(iter(target.glob(f"perfkit-*/{name}")), target / "none" / name)

    return find


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "runs"


@pytest.fixture
def other_process(target, runs):
    """Start run_sweep in a process of its own, with overrides of oltp-select as Python source."""
    started = []

    def start(overrides, **options):
        code = (
            "from pathlib import Path\n"
            "from perfkit.measure.workloads import named_workload\n"
            "from perfkit.measure.sweep import run_sweep\n"
            f"spec = named_workload('oltp-select', **{overrides!r})\n"
            f"run_sweep(spec, Path({str(target)!r}), runs_dir=Path({str(runs)!r}), run_id='r')\n"
        )
        process = subprocess.Popen(
            [sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, **options
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stderr.close()


@pytest.fixture
def loops(tmp_path):
    """Make loop devices over files or devices; they are detached at the end, the last first."""
    if os.geteuid():
        pytest.skip("loop devices need root")
    found = []

    def make(backing, *options):
        made = subprocess.run(
            ["losetup", "--find", "--show", *options, backing],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            pytest.skip(f"no loop device here: {made.stderr.strip()}")
        found.append(made.stdout.strip())
        return Path(found[-1])

    yield make
    for path in reversed(found):
        subprocess.run(["losetup", "--detach", path], check=True)


@pytest.fixture
def loop(tmp_path, loops):
    """A loop device of 16 MiB over a file of zeros."""
    image = tmp_path / "image"
    image.write_bytes(bytes(16 << 20))
    return loops(image)


@pytest.fixture
def mounted(tmp_path, loops):
    """Make ext4 of so many MiB on a loop device, and mount it; the folder."""
    points = []

    def make(size=400):
        image, point = tmp_path / f"disk-{len(points)}", tmp_path / f"mnt-{len(points)}"
        with image.open("wb") as file:
            file.truncate(size << 20)
        point.mkdir()
        device = loops(image)
        # all of it now: the kernel would write its inode tables while a point is measured
        now = "lazy_itable_init=0,lazy_journal_init=0"
        subprocess.run(["mkfs.ext4", "-q", "-E", now, device], check=True)
        subprocess.run(["mount", device, point], check=True)
        points.append(point)
        return point

    yield make
    for point in points:
        subprocess.run(["umount", point], check=True)
