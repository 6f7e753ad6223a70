"""Facts about host and target: read from made trees of known content, and from this machine."""

import json
import platform
import re
from pathlib import Path

import psutil
import pytest

from perfkit.measure.probe import facts as host
from perfkit.measure.probe import machine, storage

from .sysfs import Tree

CPUINFO = """processor\t: 0
model name\t: Fast CPU @ 3 GHz
microcode\t: 0x2b
physical id\t: 0
flags\t\t: fpu hypervisor sse

processor\t: 1
model name\t: Fast CPU @ 3 GHz
flags\t\t: fpu hypervisor sse
"""


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def full(tree):
    """A host with two sockets of two threads each, one of which is set up differently."""
    tree.put("proc/cpuinfo", CPUINFO)
    tree.put("proc/cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=1 ro quiet mitigations=off nohz_full=1")
    tree.put("proc/sys/kernel/hostname", "loadgen1\n")
    tree.put("proc/sys/kernel/ostype", "Linux\n")
    tree.put("proc/sys/kernel/osrelease", "6.1.0\n")
    tree.put("proc/sys/kernel/numa_balancing", "1\n")
    tree.put("proc/sys/kernel/io_uring_disabled", "0\n")
    tree.put("proc/sys/fs/aio-max-nr", "65536\n")
    tree.put("proc/loadavg", "1.50 1.00 0.25 1/99 12\n")
    tree.put("proc/stat", "cpu 100 0 50 800 50 0 0 0 90 0\ncpu0 1 1 1 1\n")
    tree.put("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\nSwapTotal: 0 kB\n"
             "HugePages_Total: 4\n")  # fmt: skip
    tree.put("etc/os-release", 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 12"\n')
    tree.put("etc/tuned/active_profile", "throughput-performance\n")
    tree.put("sys/class/dmi/id/sys_vendor", "ACME\n")
    tree.put("sys/class/dmi/id/product_name", "R1\n")
    tree.put("sys/class/dmi/id/bios_version", "2.1\n")
    tree.put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n")
    tree.put("sys/kernel/mm/transparent_hugepage/defrag", "[always] defer\n")
    tree.put(f"{machine.CLOCK}/current_clocksource", "tsc\n")
    tree.put("sys/devices/system/node/node0/x", "")
    tree.put("sys/devices/system/node/node1/x", "")
    for number in range(4):
        base = f"{machine.CPUS}/cpu{number}"
        tree.put(f"{base}/topology/physical_package_id", str(number // 2))
        tree.put(f"{base}/topology/core_id", "0")
        tree.put(f"{base}/cpufreq/scaling_governor", "powersave" if number == 3 else "performance")
        tree.put(f"{base}/cpufreq/scaling_min_freq", "800000")
        tree.put(f"{base}/cpufreq/scaling_max_freq", "3900000")
        tree.put(f"{base}/cpufreq/scaling_driver", "intel_pstate")
        for state, (name, off) in enumerate([("POLL", 0), ("C1", 0), ("C6", 1)]):
            tree.put(f"{base}/cpuidle/state{state}/name", name)
            tree.put(f"{base}/cpuidle/state{state}/disable", str(off))
    tree.put(f"{machine.CPUS}/cpuidle/current_driver", "intel_idle\n")
    tree.put(f"{machine.CPUS}/intel_pstate/no_turbo", "1\n")
    tree.put(f"{machine.CPUS}/smt/control", "on\n")
    return tree


def test_every_fact_of_a_host(tree):
    """The whole record, value by value: nothing is guessed, nothing left out."""
    assert machine.machine(full(tree).root, background_s=0) == {
        "hostname": "loadgen1",
        "kernel": "Linux 6.1.0",
        "kernel_options": "mitigations=off nohz_full=1",
        "os": "Debian GNU/Linux 12",
        "architecture": None,
        "product": "ACME R1",
        "firmware": "2.1",
        "cpu_model": "Fast CPU @ 3 GHz",
        "cpu_sockets": 2,
        "cpu_cores": 2,
        "cpu_threads": 4,
        "cpu_smt": "on",
        "cpu_microcode": "0x2b",
        "cpu_governor": "performance (3), powersave (1)",
        "cpu_energy_preference": None,
        "cpu_frequency_driver": "intel_pstate",
        "cpu_lowest_hz": 800_000_000,
        "cpu_highest_hz": 3_900_000_000,
        "cpu_turbo": False,
        "cpu_idle_driver": "intel_idle",
        "cpu_idle_states": "POLL, C1, (C6)",
        "cpu_isolated": None,
        "virtual_machine": True,
        "memory_bytes": 2048 * 1024,
        "memory_free_bytes": 1024 * 1024,
        "swap_bytes": 0,
        "huge_pages": 4,
        "transparent_huge_pages": "madvise",
        "transparent_huge_pages_defrag": "always",
        "numa_nodes": 2,
        "numa_balancing": True,
        "clock_source": "tsc",
        "tuned_profile": "throughput-performance",
        "io_uring_disabled": 0,
        "aio_max_nr": 65536,
        "background_cpu_busy_ratio": None,
        "background_load_1_min": 1.5,
        "background_load_15_min": 0.25,
    }


def test_a_host_that_says_nothing_is_null_throughout(tmp_path):
    """No fact becomes 0 or an empty word for lack of a file."""
    assert set(machine.machine(tmp_path, background_s=0).values()) == {None}


def test_a_processor_that_is_offline_does_not_count(tree):
    full(tree).put(f"{machine.CPUS}/cpu3/online", "0\n")
    facts = machine.cpu(tree.root)
    assert (facts["cpu_threads"], facts["cpu_governor"]) == (3, "performance")


@pytest.mark.parametrize(
    ("file", "text", "turbo"),
    [
        ("intel_pstate/no_turbo", "1", False),
        ("intel_pstate/no_turbo", "0", True),
        ("cpufreq/boost", "1", True),
        ("cpufreq/boost", "0", False),
        ("cpufreq/other", "0", None),
    ],
)
def test_turbo_by_either_driver(tree, file, text, turbo):
    tree.put(f"{machine.CPUS}/{file}", text)
    assert machine.turbo(tree.root) is turbo


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["a", "a"], "a"),
        (["a", "b", "a"], "a (2), b (1)"),
        (["a", None], "a (1)"),
        ([None, None], None),
        ([], None),
    ],
)
def test_what_several_places_say(values, said):
    assert machine.counted(values) == said


def test_this_machine_is_told_as_it_is():
    """Against what another library counts; and the background is a share, or null."""
    facts = host.host_facts()
    assert facts["hostname"] == platform.node()
    assert facts["memory_bytes"] == psutil.virtual_memory().total
    assert facts["cpu_threads"] == psutil.cpu_count()
    assert facts["kernel"] == f"{platform.system()} {platform.release()}"
    busy = facts["background_cpu_busy_ratio"]
    assert busy is None or 0 <= busy <= 1
    json.dumps(facts)


def test_the_facts_hold_no_path(tmp_path):
    text = json.dumps([host.host_facts(), host.target_facts(tmp_path)])
    assert str(tmp_path) not in text
    assert not re.search(r'"/(home|root|tmp|mnt)\b', text)


def test_of_nested_mounts_the_deepest_and_latest_counts(tree, tmp_path):
    inside = tmp_path / "my data"
    escaped = str(inside).replace(" ", "\\040")
    tree.mount("8:2", escaped, source="/dev/sdb1", filesystem="xfs")
    tree.mount("8:3", escaped, source="none", filesystem="overlay",
               options="rw,noatime,lowerdir=/secret/path,x=1")  # fmt: skip
    facts = storage.under(tree.root, inside)
    assert (facts["filesystem"], facts["mount_options"]) == ("overlay", "rw,noatime,x=1")
    assert storage.under(tree.root, Path("/"))["filesystem"] == "ext4"


def test_the_device_of_a_partition_is_the_whole_disk(tree):
    tree.disk("sdz", "65:144", size=4, partitions=["65:145"], model="M", serial="S",
              device__rev="FW1", device__queue_depth="64", device__numa_node="-1",
              queue__scheduler="none [mq-deadline] kyber", queue__rotational="0",
              queue__read_ahead_kb="128", queue__nomerges="2", queue__max_sectors_kb="512",
              queue__nr_requests="256", queue__write_cache="write back", queue__rq_affinity="1",
              queue__physical_block_size="4096")  # fmt: skip
    tree.mount("65:145", "/data", source="/dev/sdz1", filesystem="xfs")
    facts = storage.under(tree.root, Path("/data"))["device"]
    assert facts == {
        "name": "sdz",
        "kind": "disk",
        "size_bytes": 2048,
        "model": "M",
        "serial": "S",
        "wwid": None,
        "firmware": "FW1",
        "rotational": False,
        "scheduler": "mq-deadline",
        "queue_depth": 64,
        "nr_requests": 256,
        "hardware_queues": None,
        "read_ahead_bytes": 131072,
        "largest_request_bytes": 524288,
        "write_cache": "write back",
        "write_throttle_target_us": None,
        "merging": "none",
        "completion_affinity": 1,
        "logical_block_bytes": 512,
        "physical_block_bytes": 4096,
        "numa_node": None,
        "layout": None,
        "paths": None,
        "adapter": None,
        "path_policy": None,
    }


def test_a_multipath_device_is_told_with_its_paths_gathered(tree):
    for name, number, depth in (("sdc", "8:32", "32"), ("sdd", "8:48", "64")):
        tree.disk(name, number, device__model="LUN", device__queue_depth=depth,
                  device__access_state="active/optimized",
                  queue__scheduler="[none] bfq")  # fmt: skip
    tree.disk("dm-0", "253:0", dm__uuid="mpath-3600a", dm__name="mpatha")
    tree.over("dm-0", "sdc", "sdd")
    facts = storage.raw(tree.root, "dm-0")["device"]
    assert (facts["kind"], facts["serial"]) == ("multipath device mpatha", "mpath-3600a")
    paths = {name: facts["paths"][name] for name in ("count", "names", "state", "model")}
    assert paths == {"count": 2, "names": "sdc, sdd", "state": "active/optimized", "model": "LUN"}
    assert facts["paths"]["queue_depth"] == "32 (1), 64 (1)"
    assert (facts["paths"]["scheduler"], facts["paths"]["firmware"]) == ("none", None)


@pytest.mark.parametrize(
    ("table", "layout"),
    [
        ("0 8388608 linear 8:16 2048\n", {"type": "linear", "segments": 1}),
        (
            "0 8388608 striped 4 512 8:16 2048 8:32 2048 8:48 2048 8:64 2048\n",
            {"type": "striped", "segments": 1, "stripes": "4", "stripe_bytes": "262144"},
        ),
        (
            "0 100 linear 8:16 0\n100 100 striped 2 128 8:32 0 8:48 0\n",
            {
                "type": "linear (1), striped (1)",
                "segments": 2,
                "stripes": "2",
                "stripe_bytes": "65536",
            },
        ),
        (
            "0 4194304 multipath 2 queue_if_no_path retain_attached_hw_handler 1 alua 2 1 "
            "service-time 0 2 2 8:16 1 1 8:32 1 1 service-time 0 1 2 8:48 1 1\n",
            {
                "type": "multipath",
                "segments": 1,
                "features": "queue_if_no_path retain_attached_hw_handler",
                "hardware_handler": "alua",
                "path_groups": 2,
                "path_selector": "service-time",
            },
        ),
        (
            "0 4194304 multipath 0 0 1 1 round-robin 0 1 1 8:16 1000\n",
            {
                "type": "multipath",
                "segments": 1,
                "features": None,
                "hardware_handler": None,
                "path_groups": 1,
                "path_selector": "round-robin",
            },
        ),
    ],
)
def test_the_layout_of_device_mapper_tables(table, layout):
    assert storage.dm_layout(table) == layout


def test_an_array_is_told_by_its_level(tree):
    tree.disk("md0", "9:0", md__level="raid10", md__raid_disks="4", md__chunk_size="524288")
    facts = storage.raw(tree.root, "md0")["device"]
    assert facts["layout"] == {"type": "raid10", "stripes": 4, "stripe_bytes": 524288}


def hung(tree, name, number, below):
    """A disk whose folder lies below its adapter's, as the kernel hangs it."""
    tree.disk(name, number)
    real = tree.root / "sys/devices" / below / "block" / name
    real.parent.mkdir(parents=True)
    (tree.root / "sys/block" / name).rename(real)
    for place in (f"sys/dev/block/{number}", f"sys/class/block/{name}", f"sys/block/{name}"):
        (tree.root / place).unlink(missing_ok=True)
        (tree.root / place).symlink_to(real)


def test_the_adapters_of_scsi_disks(tree):
    for host_name, disk, number in (("host1", "sdc", "8:32"), ("host2", "sdd", "8:48")):
        hung(tree, disk, number, f"pci0/{host_name}/target/lun")
        tree.put(f"sys/class/scsi_host/{host_name}/proc_name", "qla2xxx\n")
        tree.put(f"sys/class/scsi_host/{host_name}/model_name", "QLE2772\n")
        tree.put(f"sys/class/scsi_host/{host_name}/fw_version", "9.08\n")
        tree.put(f"sys/class/fc_host/{host_name}/speed", "32 Gbit\n")
        tree.put(f"sys/class/fc_host/{host_name}/port_name", f"0x2100{host_name[-1]}\n")
    tree.put("sys/module/qla2xxx/parameters/ql2xmaxqdepth", "64\n")
    tree.put("sys/module/lpfc/parameters/lpfc_lun_queue_depth", "30\n")
    tree.disk("dm-0", "253:0", dm__uuid="mpath-3", dm__name="m").over("dm-0", "sdc", "sdd")
    facts = storage.raw(tree.root, "dm-0")["device"]["adapter"]
    assert facts == {
        "count": 2,
        "driver": "qla2xxx",
        "model": "QLE2772",
        "firmware": "9.08",
        "can_queue": None,
        "commands_per_lun": None,
        "lun_queue_depth": None,
        "port_speed": "32 Gbit",
        "port_wwn": "0x21001 (1), 0x21002 (1)",
        "settings": "qla2xxx.ql2xmaxqdepth=64",
    }


def test_the_controller_and_path_policy_of_an_nvme_disk(tree):
    hung(tree, "nvme0n1", "259:0", "pci0/nvme/nvme0")
    for name, text in {"transport": "tcp", "model": "N", "firmware_rev": "F", "queue_count": "9",
                       "sqsize": "127"}.items():  # fmt: skip
        tree.put(f"sys/class/nvme/nvme0/{name}", f"{text}\n")
    real = (tree.root / "sys/block/nvme0n1").resolve()
    (real / "device").mkdir()
    (real / "device/iopolicy").write_text("round-robin\n")
    facts = storage.raw(tree.root, "nvme0n1")["device"]
    assert facts["adapter"] == {
        "count": 1, "driver": "tcp", "model": "N", "firmware": "F", "queues": "9",
        "queue_size": "127",
    }  # fmt: skip
    assert facts["path_policy"] == "round-robin"


def test_the_storage_under_this_machines_temporary_folder(tmp_path):
    facts = host.target_facts(tmp_path)
    mounted = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    if not any(tmp_path.is_relative_to(place) for place in mounted):
        pytest.skip("no mounted file system holds the folder: a changed root")
    assert facts["filesystem"]
    assert facts["filesystem_block_bytes"] > 0
    if facts["device"]:
        assert facts["device"]["size_bytes"] > 0
