"""multipath -ll: the tree of RHEL 6 to 9, the brackets of RHEL 5, and which paths had failed."""

from __future__ import annotations

import pytest

import perfkit as pk
from perfkit.core.errors import ParseError
from perfkit.core.units import GIB
from perfkit.sources import kind_of

TREE = """\
[root@db1 ~]# multipath -ll
Mar 02 08:00:01 | sdz: alua not supported
data1 (3600a09803830344ffff0000000000001) dm-2 NETAPP  ,LUN C-Mode
size=500G features='3 queue_if_no_path pg_init_retries 50' hwhandler='1 alua' wp=rw
|-+- policy='service-time 0' prio=50 status=active
| |- 1:0:0:1 sdb 8:16  active ready running
| `- 2:0:0:1 sdd 8:48  failed faulty running
`-+- policy='service-time 0' prio=10 status=enabled
  |- 1:0:1:1 sdc 8:32  active ghost running
  `- 2:0:1:1 sde 8:64  active i/o pending running
360060160a1b2c3d4e5f60718293a4b5c dm-3 DGC,VRAID
size=1.5T features='1 queue_if_no_path' hwhandler='1 emc' wp=ro
`-+- policy='round-robin 0' prio=0 status=active
  |- 3:0:0:2 sdf 8:80  active undef running
  |- #:#:#:# -   #:#   active faulty running
  `- 4:0:0:2 sdg 8:96  active ready offline
"""
BRACKETS = """\
sdi: checker msg is "emc_clariion_checker: Logical Unit is unbound or LUNZ"
mpath2 (3600601603d6f1b00aaaabbbbccccdddd) dm-2 DGC,RAID 5
[size=30G][features=1 queue_if_no_path][hwhandler=1 emc][rw]
\\_ round-robin 0 [prio=2][active]
 \\_ 2:0:0:1 sdb 8:16 [active][ready]
\\_ round-robin 0 [prio=0][enabled]
 \\_ 2:0:1:1 sde 8:64 [failed][faulty]
"""


@pytest.fixture
def read(tmp_path):
    def read(text):
        path = tmp_path / "multipath.txt"
        path.write_text(text)
        assert kind_of(path) == "multipath"
        return pk.read(path)

    return read


def test_the_maps_of_a_tree(read):
    maps = read(TREE).multipath_maps.frame.rows(named=True)
    assert [row["map"] for row in maps] == ["data1", "360060160a1b2c3d4e5f60718293a4b5c"]
    assert [row["wwid"] for row in maps] == ["3600a09803830344ffff0000000000001", maps[1]["map"]]
    assert [row["dm_device"] for row in maps] == ["dm-2", "dm-3"]
    assert [row["product"] for row in maps] == ["NETAPP,LUN C-Mode", "DGC,VRAID"]
    assert [row["size_bytes"] for row in maps] == [500 * GIB, 1536 * GIB]
    assert [row["hardware_handler"] for row in maps] == ["1 alua", "1 emc"]
    assert [row["access"] for row in maps] == ["rw", "ro"]


def test_the_paths_of_a_tree_and_which_of_them_had_failed(read):
    """A path fails by device-mapper, by its checker or by the SCSI layer, or has no device.

    One that stands by (ghost), or that was not asked (undef), has not failed.
    """
    reading = read(TREE)
    columns = ("device", "group", "priority", "group_status", "path_state", "failed")
    assert reading.multipath_paths.frame.select(columns).rows() == [
        ("sdb", 1, 50, "active", "ready", False),
        ("sdd", 1, 50, "active", "faulty", True),
        ("sdc", 2, 10, "enabled", "ghost", False),
        ("sde", 2, 10, "enabled", "i/o pending", False),
        ("sdf", 1, 0, "active", "undef", False),
        (None, 1, 0, "active", "faulty", True),
        ("sdg", 1, 0, "active", "ready", True),
    ]
    assert reading.evidence.warnings == ()


def test_the_brackets_of_rhel_5(read):
    reading = read(BRACKETS)
    (row,) = reading.multipath_maps.frame.rows(named=True)
    assert [row["product"], row["size_bytes"], row["access"]] == ["DGC,RAID 5", 30 * GIB, "rw"]
    columns = ("device", "group", "policy", "dm_state", "device_state", "failed")
    assert reading.multipath_paths.frame.select(columns).rows() == [
        ("sdb", 1, "round-robin 0", "active", None, False),
        ("sde", 2, "round-robin 0", "failed", None, True),
    ]


def test_a_map_without_a_path_is_kept(read):
    reading = read("\n".join(TREE.splitlines()[:4]))
    assert reading.multipath_maps.frame.height == 1
    assert reading.multipath_paths.frame.height == 0


def test_a_line_of_no_map_is_named(read):
    told = read(f"{TREE}Fri Mar  6 05:37:02 CET 2026\n").evidence.warnings
    assert told == ("line 17 is of no map, not read: 'Fri Mar  6 05:37:02 CET 2026'",)


def test_the_tree_of_lsblk_below_a_listing_is_of_no_map(read):
    """The file was refused: "a line of a map that is of no known form: '|-sda1 part ...'"."""
    lsblk = "sda   disk 46G\n|-sda1 part 1G /boot\n`-sda2 part 45G /\n"
    found = read(TREE + lsblk + TREE.replace("data1 (3600", "data2 (3700").split("36006")[0])
    assert len(found.multipath_maps.frame) == 3
    assert len(found.multipath_paths.frame) == 11
    assert len(found.evidence.warnings) == 3


@pytest.mark.parametrize(
    ("old", "new", "place", "problem"),
    [
        ("sdd 8:48  failed faulty running", "sdd 8:48  failed", 7, "no known form"),
        ("failed faulty", "failed broken", 7, "'broken', a state that perfkit does not know"),
        ("failed faulty", "fail faulty", 7, "no known form"),
        ("prio=10 status", "status", 8, "no known form"),
        ("360060160a1b2c3d4e5f60718293a4b5c dm-3", "data1 (3600) dm-3", 11, "is listed again"),
        ("size=1.5T", "size=1.5X", 12, "no known form"),
    ],
)
def test_what_is_of_no_known_form_is_an_error_with_its_line(old, new, place, problem, read):
    with pytest.raises(ParseError, match=problem) as caught:
        read(TREE.replace(old, new))
    assert caught.value.line == place
