"""Which devices may be overwritten: none that is used, unknown, or not named by its owner."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from perfkit.core.errors import RunError, SafetyError
from perfkit.core.evidence import sha256_file
from perfkit.measure.probe import device, program
from perfkit.measure.probe.ask import target
from perfkit.measure.safety import judge
from perfkit.measure.safety.devices import claimed_device

from .sysfs import Tree

pytestmark = pytest.mark.slow

WWID = "naa.600a098038303053"
ZEROS = {"zero": True, "samples": 514, "sampled_bytes": 34 << 20, "size_bytes": 1 << 30}


@pytest.fixture
def tree(tmp_path):
    """A host that boots from sda, and has a blank sdb to measure."""
    return Tree(tmp_path).disk("sdb", "8:16", model="FAST", serial="S2")


def facts(tree, number="8:16", **live):
    seen = {"exclusive": True, "open_by": [], "signatures": [], "contents": ZEROS}
    static = device.facts(tree.root, number)
    return {"asked": "/dev/x", "path": "/dev/x", "kind": "device", **static, **seen, **live}


def mounted_partition(t):
    t.disk("sdc", "8:32", partitions=["8:33"]).mount("8:33", "/data", source="/dev/sdc1")
    return facts(t, "8:32")


def disk_mounted_under_its_partition(t):
    t.disk("sdc", "8:32", partitions=["8:33"]).mount("8:32", "/data", source="/dev/sdc")
    return facts(t, "8:33")


def bind_mount(t):
    t.mount("8:16", "/srv/a\\040b", source="/dev/sdb")
    return facts(t)


def seen_by_init_only(t):
    t.put("proc/1/mountinfo", "9 1 8:16 / /host/data rw - xfs /dev/sdb rw\n")
    return facts(t)


def btrfs_numbered_apart(t):
    t.mount("0:45", "/data", source="/dev/sdb", filesystem="btrfs")
    return facts(t)


def btrfs_second_device(t):
    (t.root / "sys/fs/btrfs/f00/devices/sdb").mkdir(parents=True)
    return facts(t)


def mapped(t, uuid, name):
    t.disk("dm-0", "253:0", dm__uuid=uuid, dm__name=name).over("dm-0", "sdb")
    return facts(t)


def lvm(t):
    return mapped(t, "LVM-abc", "vg-data")


def multipath_path(t):
    return mapped(t, "mpath-3600a", "mpatha")


def held_partition(t):
    t.disk("sdc", "8:32", partitions=["8:33"]).disk("md0", "9:0", md__level="raid1")
    t.over("md0", "sdc1")
    return facts(t, "8:32")


def volume_on_the_root_disk(t):
    t.disk("dm-1", "253:1", dm__uuid="LVM-r", dm__name="vg-scratch").over("dm-1", "sda1")
    return facts(t, "253:1")


def root_on_a_mirror(t):
    t.no_mounts().disk("md1", "9:1", md__level="raid1").disk("sdc", "8:32").over("md1", "sdc")
    t.mount("9:1", "/", source="/dev/md1")
    (t.root / "sys/block/sdc/holders/md1").unlink()  # only the slaves' side is there
    return facts(t, "8:32")


def boot_partition_elsewhere(t):
    t.disk("sdc", "8:32", partitions=["8:33", "8:34"]).mount("8:33", "/boot", source="/dev/sdc1")
    return facts(t, "8:34")


def root_that_leads_nowhere(t):
    t.no_mounts().mount("0:30", "/", source="rpool/ROOT", filesystem="zfs")
    return facts(t)


def no_root_at_all(t):
    t.no_mounts().mount("0:5", "/proc", source="proc", filesystem="proc")
    return facts(t)


def swapped_partition(t):
    t.disk("sdc", "8:32", partitions=["8:33"]).swap("/dev/sdc1")
    return facts(t, "8:32")


def same_lun_by_another_path(t):
    t.disk("sdc", "8:32", device__wwid=WWID).disk("sdd", "8:48", device__wwid=WWID)
    t.mount("8:48", "/oracle", source="/dev/sdd")
    return facts(t, "8:32")


def loop_on_it(t):
    t.put("sys/block/loop3/loop/backing_file", "/dev/sdb\n")
    return facts(t)


def iscsi_target_on_it(t):
    t.put("sys/kernel/config/target/core/iblock_0/lun1/udev_path", "/dev/sdb\n")
    return facts(t)


def nvme_target_on_it(t):
    t.put("sys/kernel/config/nvmet/subsystems/s/namespaces/1/device_path", "/dev/sdb\n")
    return facts(t)


def write_protected(t):
    t.put("sys/block/sdb/ro", "1\n")
    return facts(t)


def empty_reader(t):
    t.put("sys/block/sdb/size", "0\n")
    return facts(t)


CASES = {
    "a mounted partition": (mounted_partition, "mounted", "mounted: sdc1 on /data"),
    "the disk of a partition is mounted": (disk_mounted_under_its_partition, "mounted", "sdc on"),
    "a bind mount": (bind_mount, "mounted", "sdb on /srv/a b"),
    "mounted for init only": (seen_by_init_only, "mounted", "sdb on /host/data"),
    "btrfs": (btrfs_numbered_apart, "mounted", "sdb on /data"),
    "btrfs of several devices": (btrfs_second_device, "mounted", "sdb on a btrfs of several"),
    "LVM": (lvm, "holders", r"sdb by dm-0 \(LVM logical volume vg-data\)"),
    "a path of a multipath device": (multipath_path, "holders", "multipath device mpatha"),
    "an array on a partition": (held_partition, "holders", r"sdc1 by md0 \(md raid1\)"),
    "a volume on the root disk": (volume_on_the_root_disk, "system disk", "lies on sda"),
    "a disk of a root mirror": (root_on_a_mirror, "system disk", "lies on sdc"),
    "a partition beside /boot": (boot_partition_elsewhere, "system disk", "lies on sdc"),
    "a root on ZFS": (
        root_that_leads_nowhere,
        "system disk",
        r"carries / \(zfs\) cannot be "
        r"determined",
    ),
    "no root in the mounts": (no_root_at_all, "system disk", "cannot be determined"),
    "swap": (swapped_partition, "swap", "swapped on: sdc1"),
    "mounted by another path": (same_lun_by_another_path, "mounted", "sdd on /oracle"),
    "a loop device over it": (loop_on_it, "exported", "loop device loop3"),
    "an iSCSI target": (iscsi_target_on_it, "exported", "FC target lun1"),
    "an NVMe-oF target": (nvme_target_on_it, "exported", "NVMe-oF target s"),
    "write protection": (write_protected, "read-only", "is read-only"),
    "no medium": (empty_reader, "size", "not known, or zero"),
    "a partition table with partitions": (mounted_partition, "partitions", "partitions: sdc1"),
    "a file system": (lambda t: facts(t, signatures=["ext4"]), "signatures", "of ext4; .*wipefs"),
    "no look at signatures": (lambda t: facts(t, signatures=None), "signatures", "cannot be sea"),
    "exclusive use": (lambda t: facts(t, exclusive=False), "busy", "in exclusive use"),
    "no right to open": (lambda t: facts(t, exclusive=None), "busy", "cannot be opened"),
    "a database has it open": (lambda t: facts(t, open_by=["oracle (pid 7)"]), "open", "oracle"),
    "processes not to be seen": (
        lambda t: facts(t, open_by=None),
        "open",
        "cannot be checked: that needs root",
    ),
    "not in /sys": (lambda t: facts(t, "8:99"), "unknown", "no entry"),
    "a directory": (lambda t: {**facts(t), "kind": "directory"}, "kind", "not a device"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_refusal(tree, case):
    """The rule that must find it does, in words that name the device, with or without consent."""
    make, rule, words = CASES[case]
    found = make(tree)
    reasons = {refusal.rule: refusal.reason for refusal in judge.refusals(found)}
    assert rule in reasons
    with pytest.raises(SafetyError, match=words):
        judge.check_device(found, ["FAST S2"])


def test_every_rule_has_a_case():
    assert {rule for _, rule, _ in CASES.values()} == {*judge.RULES, "unknown", "kind"}


def test_a_blank_disk_of_a_running_host_has_no_refusal(tree):
    """The table above would pass if everything were refused."""
    assert judge.refusals(facts(tree)) == []


def test_a_volume_and_a_multipath_device_may_be_measured_themselves(tree):
    """What holds its own paths is not held by them."""
    tree.disk("sdc", "8:32", device__wwid=WWID).disk("sdd", "8:48", device__wwid=WWID)
    tree.disk("dm-0", "253:0", dm__uuid="mpath-3600a", dm__name="mpatha").over("dm-0", "sdc", "sdd")
    found = facts(tree, "253:0")
    assert judge.refusals(found) == []
    assert judge.identity(found) == "multipath device mpatha mpath-3600a"
    assert found["disks"] == ["dm-0", "sdc", "sdd"]


def test_a_partition_beside_a_mounted_one_is_free_when_the_disk_is_not_the_systems(tree):
    tree.disk("sdc", "8:32", partitions=["8:33", "8:34"], model="M", serial="S")
    tree.mount("8:33", "/data", source="/dev/sdc1")
    assert judge.refusals(facts(tree, "8:34")) == []
    assert judge.identity(facts(tree, "8:34")) == "M S partition 2"


@pytest.mark.parametrize("filesystem", ["overlay", "nfs4", "tmpfs"])
def test_a_root_without_a_disk_forbids_nothing(tree, filesystem):
    tree.no_mounts().mount("0:30", "/", source="none", filesystem=filesystem)
    assert judge.refusals(facts(tree)) == []


def test_the_same_empty_wwid_makes_no_twins(tree):
    """Some virtual disks all carry a world-wide name of zeros."""
    tree.disk("sdc", "8:32", device__wwid="naa.0000").disk("sdd", "8:48", device__wwid="naa.0000")
    tree.mount("8:48", "/oracle", source="/dev/sdd")
    assert judge.refusals(facts(tree, "8:32")) == []


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ("FAST S2", True),
        ("  FAST   S2 ", True),
        ("FAST", False),
        ("S2", False),
        ("fast s2", False),
        ("FAST S22", False),
        ("", False),
        ("yes", False),
    ],
)
def test_consent_names_model_and_serial_and_nothing_less(tree, given, fits):
    if fits:
        consent = judge.check_device(facts(tree), ["OTHER X1", given])
        assert consent.record() == {
            "model": "FAST", "serial": "S2", "identity": "FAST S2", "given": given,
        }  # fmt: skip
    else:
        with pytest.raises(SafetyError, match="--overwrite 'FAST S2'"):
            judge.check_device(facts(tree), [given])


def test_the_question_says_what_is_at_stake(tree):
    with pytest.raises(SafetyError) as told:
        judge.check_device(facts(tree, contents={**ZEROS, "zero": False}), [])
    assert str(told.value) == (
        "/dev/x: this overwrites 1 MiB on 'FAST S2', which holds data; to agree, add "
        "--overwrite 'FAST S2'"
    )


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"model": "M", "serial": "S"}, "M S"),
        ({"device__model": "M", "device__vendor": "ACME", "wwid": WWID}, f"ACME M {WWID}"),
        ({"serial": "V1", "device__vendor": "0x1af4"}, "unknown model V1"),
        ({}, "unknown model sdx 1048576 bytes"),
        ({"loop__backing_file": "/a/b.img"}, "loop device /a/b.img"),
        ({"dm__name": "vg-a", "dm__uuid": "LVM-1"}, "LVM logical volume vg-a LVM-1"),
    ],
)
def test_how_devices_are_named(tree, files, name):
    tree.disk("sdx", "8:240", **files)
    assert judge.identity(facts(tree, "8:240")) == name


def test_names_that_only_udev_or_the_inquiry_page_knows(tree):
    tree.disk("sdx", "8:240")
    tree.put("run/udev/data/b8:240", "E:ID_MODEL=QEMU_HARDDISK\nE:ID_SERIAL_SHORT=QM1\nS:disk/x\n")
    assert judge.identity(facts(tree, "8:240")) == "QEMU HARDDISK QM1"
    page = tree.root / "sys/block/sdx/device/vpd_pg80"
    page.parent.mkdir()
    page.write_bytes(b"\x00\x80\x00\x06 S 9  ")
    assert judge.identity(facts(tree, "8:240")) == "QEMU HARDDISK S 9"


@pytest.mark.parametrize(
    ("change", "name"),
    [({"serial": "S9"}, "serial"), ({"size_bytes": 1}, "size_bytes"), ({"number": "8:1"}, "num")],
)
def test_another_device_under_the_same_name_is_noticed(tree, change, name):
    before = facts(tree)
    judge.check_same(before, facts(tree))
    with pytest.raises(SafetyError, match=f"another device than the one agreed to: its {name}"):
        judge.check_same(before, {**before, **change})


def directory(**changes):
    return {"asked": "/mnt", "kind": "directory", "writable": True, "free_bytes": 3000, **changes}


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"kind": "missing"}, "no such directory"),
        ({"kind": "other"}, "not a directory"),
        ({"kind": "device"}, "not a directory"),
        ({"writable": False}, "not writable"),
    ],
)
def test_a_remote_directory_that_is_refused(facts, words):
    with pytest.raises(SafetyError, match=f"load1: /mnt: .*{words}"):
        judge.check_directory_facts(directory(**facts), "load1")


def test_a_remote_directory_that_may_be_used():
    judge.check_directory_facts(directory(), "load1")


def sent(path):
    """What the program for remote hosts answers, run here by an isolated Python."""
    line = program.command(str(path), ("fio", "no-such-tool"))
    done = subprocess.run(
        ["sh", "-c", line.replace("python3 ", f"{sys.executable} -I ", 1)],
        input=program.program(), capture_output=True, text=True, check=True, cwd="/",
    )  # fmt: skip
    return program.answered("Last login: today\n" + done.stdout, "load1")


def test_the_program_for_remote_hosts_needs_nothing_and_says_the_same(tmp_path):
    """It runs without perfkit on the path, under a quoted name, and finds what we find here."""
    folder = tmp_path / "my target's"
    folder.mkdir()
    answer = sent(folder)
    here = target(str(folder))
    same = [name for name in here if name != "free_bytes"]
    assert {n: answer["target"][n] for n in same} == {n: here[n] for n in same}
    assert answer["host"]["memory_bytes"] > 0
    assert answer["tools"]["fio"]["version"].startswith("fio-")
    assert answer["tools"]["no-such-tool"] is None
    json.dumps(answer)


@pytest.mark.parametrize("version", ["3.6", "3.7", "3.8", "3.9", "3.12", "3.13"])
def test_the_remote_program_runs_on_the_pythons_that_are_here(version, tmp_path):
    python = shutil.which(f"python{version}")
    if python is None:
        pytest.skip(f"no python{version} on PATH")
    line = program.command(str(tmp_path)).replace("python3 ", f"{python} -I ", 1)
    done = subprocess.run(["sh", "-c", line], input=program.program(), capture_output=True,
                          text=True, check=False)  # fmt: skip
    if "pyenv" in done.stderr:
        pytest.skip(f"python{version} is not set up here")
    assert program.answered(done.stdout, "here")["target"]["kind"] == "directory"


def test_the_remote_program_is_written_for_older_pythons():
    """RHEL 8 has Python 3.6: its syntax, only its library, and no annotations to stumble over."""
    listed = re.search(r"in (\[\[.*\]\]):$", program.program(), re.M)
    for name, text in json.loads(listed[1]):
        parsed = ast.parse(text, name, feature_version=(3, 6))
        for node in ast.walk(parsed):
            assert not getattr(node, "annotation", None)
            assert not getattr(node, "returns", None)
            assert "__future__" not in str(getattr(node, "module", ""))
    folder = Path(program.__file__).parent
    for name in program.MODULES:
        parsed = ast.parse((folder / f"{name}.py").read_text())
        for node in ast.walk(parsed):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("perfkit"):
                modules = {node.module.rpartition(".")[2], *(a.name for a in node.names)}
                assert modules & set(program.MODULES), node.module
            elif isinstance(node, ast.Import | ast.ImportFrom):
                names = [getattr(node, "module", None) or node.names[0].name]
                assert names[0].split(".")[0] in sys.stdlib_module_names
            assert not (isinstance(node, ast.Attribute) and node.attr.startswith("remove")), (
                "removeprefix and removesuffix are newer"
            )


@pytest.mark.parametrize("printed", ["", "Permission denied", "{", '{"format": 99}', "[]"])
def test_no_answer_from_a_host_is_a_refusal(printed):
    with pytest.raises(SafetyError, match="load1: the check of the target gave no answer"):
        program.answered(printed, "load1")


# With real devices, where root may make them


def test_zeros_are_told_with_what_was_read_of_them(tree):
    with pytest.raises(SafetyError) as told:
        judge.check_device(facts(tree), [])
    assert (
        "which held zeros in 514 samples over all of it (34 MiB, 0.033 of it); what lies between "
        "them was not read; to agree"
    ) in str(told.value)
    every = {**ZEROS, "sampled_bytes": 1 << 30}
    with pytest.raises(SafetyError, match="which holds nothing but zeros; to agree"):
        judge.check_device(facts(tree, contents=every), [])


def loop_of(tree, name, number, backing):
    return tree.disk(name, number, loop__backing_file=backing)


def test_a_loop_device_is_judged_with_what_lies_below_it(tree):
    """A loop over a mounted device, and one over a file that another, mounted loop lies over."""
    loop_of(tree, "loop0", "7:0", "/dev/sda1")
    found = {r.rule: r.reason for r in judge.refusals(facts(tree, "7:0"))}
    assert found["mounted"] == "it is mounted: sda1 on /"
    assert "which carries the running system" in found["system disk"]
    loop_of(tree, "loop1", "7:1", "/srv/image")
    loop_of(tree, "loop2", "7:2", "/srv/image").mount("7:2", "/data", source="/dev/loop2")
    loop_of(tree, "loop3", "7:3", "/srv/other")
    found = {r.rule: r.reason for r in judge.refusals(facts(tree, "7:1"))}
    assert found == {"mounted": "it is mounted: loop2 on /data"}
    assert judge.refusals(facts(tree, "7:3")) == []


def test_a_file_that_is_served_to_others_is_no_loops_to_overwrite(tree):
    loop_of(tree, "loop1", "7:1", "/srv/image")
    tree.put("sys/kernel/config/target/core/fileio_0/disk/udev_path", "/srv/image\n")
    found = {r.rule: r.reason for r in judge.refusals(facts(tree, "7:1"))}
    assert found == {"exported": "it is served to others: iSCSI or FC target disk"}


def agreed(path):
    return [judge.identity(target(str(path)))]


def test_the_second_loop_over_a_mounted_file_is_refused_and_keeps_its_bytes(loops, tmp_path):
    """By the same name, and by a link: consent is not enough. Read-only, so that ext4 rests."""
    image, link, point = tmp_path / "image", tmp_path / "linked", tmp_path / "mnt"
    image.write_bytes(bytes(16 << 20))
    link.hardlink_to(image)
    point.mkdir()
    first = loops(image)
    seconds = [loops(image), loops(link)]
    consents = [agreed(second)[0] for second in seconds]
    subprocess.run(["mkfs.ext4", "-q", first], check=True)
    subprocess.run(["mount", "-o", "ro", first, point], check=True)
    try:
        before = sha256_file(image)
        for second in seconds:
            with (
                pytest.raises(SafetyError, match=f"it is mounted: {first.name} on {point}"),
                claimed_device(second, consents, writes=True),
            ):
                pass
        assert sha256_file(image) == before
    finally:
        subprocess.run(["umount", point], check=True)


def test_a_loop_whose_file_another_process_writes_is_refused(loop, tmp_path):
    """A virtual machine's disk, for example. One that only reads is no reason."""
    consents = agreed(loop)
    for mode, refused in (("r+b", True), ("rb", False)):
        with (tmp_path / "image").open(mode) as file:
            process = subprocess.Popen(["sleep", "60"], stdin=file)
        try:
            reasons = [r.reason for r in judge.refusals(target(str(loop)))]
        finally:
            process.kill()
            process.wait()
        said = f"it is open in: sleep (pid {process.pid}, its backing file, for writing)"
        assert reasons == ([said.replace("in: ", "in ")] if refused else [])
    assert consents == agreed(loop)


def test_data_in_the_middle_of_a_device_is_seen(tmp_path):
    """90 MiB in the middle of 1 GiB, zeros at both ends; a file stands for the device."""
    image = tmp_path / "image"
    with image.open("wb") as file:
        file.truncate(1 << 30)
    calm = device.contents(image)
    assert calm["zero"]
    assert calm["sampled_bytes"] < calm["size_bytes"] == 1 << 30
    with image.open("r+b") as file:
        file.seek(500 << 20)
        file.write(b"x" * (90 << 20))
    assert device.contents(image)["zero"] is False
    small = tmp_path / "small"
    small.write_bytes(bytes(8 << 20))
    assert device.contents(small)["sampled_bytes"] == 8 << 20
    small.write_bytes(bytes(5 << 20) + b"x" + bytes(3 << 20))
    assert device.contents(small)["zero"] is False
    assert device.contents(tmp_path / "none") is None


def test_a_loop_device_is_agreed_to_by_its_backing_file(loop, tmp_path):
    assert agreed(loop) == [f"loop device {tmp_path / 'image'}"]
    with claimed_device(loop, agreed(loop), writes=True) as held:
        held.check_again()
        assert (held.size, held.consent.serial) == (16 << 20, str(tmp_path / "image"))


def make_file_system(loop, _):
    subprocess.run(["mkfs.ext4", "-q", loop], check=True)
    return {"signatures"}, None


def make_swap(loop, _):
    subprocess.run(["mkswap", loop], check=True, capture_output=True)
    return {"signatures"}, None


def mount_it(loop, tmp_path):
    make_file_system(loop, tmp_path)
    point = tmp_path / "mnt"
    point.mkdir()
    subprocess.run(["mount", "-o", "ro", loop, point], check=True)
    return {"mounted", "signatures", "busy"}, lambda: subprocess.run(["umount", point], check=True)


def claim_it(loop, _):
    handle = os.open(loop, os.O_RDONLY | os.O_EXCL)
    return {"busy"}, lambda: os.close(handle)


def open_it(loop, _):
    with loop.open("rb") as file:
        process = subprocess.Popen(["sleep", "60"], stdin=file)
    return {"open"}, lambda: (process.kill(), process.wait())


def put_a_loop_on_it(loop, _):
    done = subprocess.run(
        ["losetup", "-f", "--show", loop], capture_output=True, text=True, check=False
    )
    upper = done.stdout.strip()
    return {"exported"}, lambda: subprocess.run(["losetup", "-d", upper], check=True)


def protect_it(loop, _):
    subprocess.run(["blockdev", "--setro", loop], check=True)
    # the kernel keeps this beyond the loop device's life
    return {"read-only"}, lambda: subprocess.run(["blockdev", "--setrw", loop], check=True)


@pytest.mark.parametrize(
    "use", [make_file_system, make_swap, mount_it, claim_it, open_it, put_a_loop_on_it, protect_it]
)
@pytest.mark.parametrize("form", ["plain", "link"])
def test_a_real_device_in_use_is_refused_and_nothing_on_it_changes(loop, tmp_path, use, form):
    """Even with the right consent, and through a link as /dev/disk/by-id has them."""
    consents = agreed(loop)
    asked = loop
    if form == "link":
        asked = tmp_path / "by-id-name"
        asked.symlink_to(loop)
    expected, undo = use(loop, tmp_path)
    try:
        before = sha256_file(loop)
        found = {refusal.rule for refusal in judge.refusals(target(str(asked)))}
        assert expected <= found <= expected | {"open"}
        with (
            pytest.raises(SafetyError, match="not overwritten"),
            claimed_device(asked, consents, writes=True),
        ):
            pass
        assert sha256_file(loop) == before
    finally:
        if undo:
            undo()


def test_a_device_without_consent_keeps_every_byte(loop):
    before = sha256_file(loop)
    for consents in ([], ["FAST S2"]):
        with (
            pytest.raises(SafetyError, match="to agree, add --overwrite 'loop device"),
            claimed_device(loop, consents, writes=True),
        ):
            pass
    assert sha256_file(loop) == before


def test_while_it_is_claimed_nobody_can_make_a_file_system_or_claim_it(loop):
    with claimed_device(loop, agreed(loop), writes=True) as held:
        assert (
            subprocess.run(["mkfs.ext4", "-q", loop], capture_output=True, check=False).returncode
            != 0
        )
        with (
            pytest.raises((SafetyError, RunError), match="exclusive use"),
            claimed_device(loop, agreed(loop), writes=True),
        ):
            pass
        held.check_again()


def test_what_appears_between_two_points_is_found_before_the_next(loop, tmp_path):
    """A process that opened the device meanwhile, and a signature written past the claim."""
    with claimed_device(loop, agreed(loop), writes=True) as held:
        with loop.open("rb") as file:
            process = subprocess.Popen(["sleep", "60"], stdin=file)
        try:
            with pytest.raises(SafetyError, match="open in sleep"):
                held.check_again()
        finally:
            process.kill()
            process.wait()
        held.check_again()
        image = tmp_path / "swap"
        image.write_bytes(bytes(16 << 20))
        subprocess.run(["mkswap", image], check=True, capture_output=True)
        with loop.open("r+b") as raw:
            raw.write(image.read_bytes()[:4096])
        with pytest.raises(SafetyError, match="signatures of swap"):
            held.check_again()


def test_reads_need_no_consent_and_cannot_be_followed_by_writes(loop):
    before = sha256_file(loop)
    with claimed_device(loop, [], writes=False, size=4096) as held:
        assert (held.consent, held.size) == (None, 4096)
        with pytest.raises(SafetyError, match="nobody agreed"):
            held.check_again()
    assert sha256_file(loop) == before


def test_a_device_that_is_too_small_is_refused(loop):
    with (
        pytest.raises(SafetyError, match="of which 33554432 were to be measured"),
        claimed_device(loop, agreed(loop), writes=True, size=32 << 20),
    ):
        pass


def test_partitions_of_a_real_device(tmp_path, loop):
    """A partition table alone is a signature, whether or not the kernel shows its partitions."""
    entry = bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + (2048).to_bytes(4, "little") * 2
    with loop.open("r+b") as raw:
        raw.seek(446)
        raw.write(entry + bytes(48) + b"\x55\xaa")
    rules = {refusal.rule for refusal in judge.refusals(target(str(loop)))}
    assert "signatures" in rules


def test_the_root_disk_of_this_machine_is_refused():
    number = Path("/").stat().st_dev
    found = device.facts(Path("/"), f"{os.major(number)}:{os.minor(number)}")
    if not found["known"]:
        pytest.skip("the root of this machine lies on no block device")
    live = {"exclusive": True, "open_by": [], "signatures": [], "contents": ZEROS}
    rules = {r.rule for r in judge.refusals({"kind": "device", **found, **live})}
    assert {"system disk", "mounted"} <= rules
