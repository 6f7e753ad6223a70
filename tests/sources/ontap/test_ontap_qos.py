"""ONTAP's QoS: policies in every release's listing, commands, and the statistics."""
# ruff: noqa: DTZ001 - the shell prints local times without a zone

import datetime as dt
import gzip

import polars as pl
import pytest
from forges import ontap_qos
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from places import ROOT

import perfkit as pk
from perfkit.core.errors import ParseError
from perfkit.sources import kind_of
from perfkit.sources.ontap import units

SEEDS = ROOT / "../shared/seeds"

DEFAULTS = """\
::> qos adaptive-policy-group show
Name         Vserver Wklds  Expected IOPS        Peak IOPS
extreme      fp-g9a  0      6144IOPS/TB 12288IOPS/TB
performance  fp-g9a  0      2048IOPS/TB 4096IOPS/TB
value        fp-g9a  0      128IOPS/TB  512IOPS/TB
"""  # as printed in NetApp TR-4784 (ONTAP 9.3 to 9.5)
INSTANCE = """\
cluster1::> qos adaptive-policy-group show -instance

                        Policy Group Name: extreme
                                  Vserver: cluster1
                                     Uuid: 02c9e252
                      Number of Workloads: 3
                            Expected IOPS: 6IOPS/GB
                                Peak IOPS: 12288IOPS/TB
                    Absolute Minimum IOPS: 1000IOPS
                 Expected IOPS Allocation: allocated-space
                     Peak IOPS Allocation: used-space
                               Block Size: ANY
"""
PERFORMANCE = """\
cluster1::> qos statistics performance show -refresh-display true

Policy Group             IOPS      Throughput    Latency Is Adaptive?
-------------------- -------- --------------- ---------- ------------
-total-                  1000       30.82MB/s   507.00us -
svm1-sql                  986       30.82MB/s   512.00us false
_System-Work                5           0KB/s        0ms false
User-Best-Effort            4        0.22KB/s   436.00us true
-total-                   312        6.73MB/s     3.01ms -
svm1-sql                  215        6.73MB/s     4.32ms false
"""


def read(folder, text):
    path = folder / "ontap.txt"
    path.write_text(text)
    return pk.read(path, kind="ontap-qos")


def test_the_default_policies_as_ontap_9_3_shows_them(tmp_path):
    frame = read(tmp_path, DEFAULTS).qos_adaptive_policies.frame
    assert frame.select("policy", "expected_iops", "peak_iops").rows() == [
        ("extreme", 6144.0, 12288.0), ("performance", 2048.0, 4096.0), ("value", 128.0, 512.0),
    ]  # fmt: skip
    row = frame.row(0, named=True)
    assert (row["vserver"], row["workloads"], row["origin"]) == ("fp-g9a", 0, "show")
    assert (row["expected_unit"], row["expected_unit_origin"]) == ("IOPS/TB", "printed")
    assert (row["absolute_min_iops"], row["block_size"]) == (None, None)


@pytest.mark.parametrize("minimum", [True, False])
def test_the_listing_with_and_without_minimum_and_block_size(tmp_path, minimum):
    text = ontap_qos.policies_text(minimum=minimum)
    frame = read(tmp_path, text).qos_adaptive_policies.frame
    wanted = [
        (p.name, p.vserver, p.workloads, float(p.expected), float(p.peak),
         float(p.minimum) if minimum else None, p.block if minimum else None)
        for p in ontap_qos.POLICIES
    ]  # fmt: skip
    assert frame.select(
        "policy", "vserver", "workloads", "expected_iops_per_tb", "peak_iops_per_tb",
        "absolute_min_iops", "block_size",
    ).rows() == wanted  # fmt: skip


def test_a_long_name_on_a_line_of_its_own_and_a_row_of_a_document(tmp_path):
    text = DEFAULTS + (
        "a_very_long_policy_group_name\n             svm1    12     5IOPS/GB 50IOPS/GB\n"
        "| gold | svm1 | 0 | 128IOPS/TB | 512IOPS/TB |\n"
    )
    reading = read(tmp_path, text)
    rows = reading.qos_adaptive_policies.frame.rows(named=True)[3:]
    assert [row["policy"] for row in rows] == ["a_very_long_policy_group_name", "gold"]
    assert (rows[0]["workloads"], rows[0]["expected_iops"], rows[0]["expected_unit"]) == (
        12, 5.0, "IOPS/GB",
    )  # fmt: skip
    assert (rows[0]["expected_iops_per_tb"], rows[0]["peak_iops_per_tb"]) == (5120.0, 51200.0)
    assert reading.evidence.warnings == ()


def test_an_instance_record(tmp_path):
    row = read(tmp_path, INSTANCE).qos_adaptive_policies.frame.row(0, named=True)
    assert (row["policy"], row["vserver"], row["workloads"]) == ("extreme", "cluster1", 3)
    assert (row["expected_iops_per_tb"], row["peak_iops_per_tb"]) == (6144.0, 12288.0)
    assert (row["absolute_min_iops"], row["block_size"]) == (1000.0, "ANY")
    assert (row["expected_allocation"], row["peak_allocation"]) == ("allocated-space", "used-space")
    assert row["line"] == 3


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ("0-20000IOPS", (None, 20000.0, None, None)),
        ("1000IOPS-INF", (1000.0, None, None, None)),
        ("0-INF", (None, None, None, None)),
        ("0-50000IOPS,1.50GB/s", (None, 50000.0, None, 1.5 * 2**30)),
        ("0-100MB/s", (None, None, None, 100.0 * 2**20)),
        ("500IOPS-1,000IOPS", (500.0, 1000.0, None, None)),
    ],
)
def test_policies_with_fixed_limits(tmp_path, limits, wanted):
    text = (
        "cluster1::> qos policy-group show\n"
        "Name             Vserver     Class        Wklds Throughput\n"
        "---------------- ----------- ------------ ----- ------------\n"
        f"svm1-sql         svm1        user-defined 2     {limits}\n"
    )
    row = read(tmp_path, text).qos_policies.frame.row(0, named=True)
    assert (row["policy"], row["policy_class"], row["workloads"]) == ("svm1-sql", "user-defined", 2)
    names = ("min_iops", "max_iops", "min_bytes_per_s", "max_bytes_per_s")
    assert tuple(row[name] for name in names) == wanted


# ---- commands


@pytest.mark.parametrize(
    ("given_", "value", "unit", "origin"),
    [
        ("5000", 5000.0, "IOPS/TB", "default"), ("5000IOPS", 5000.0, "IOPS/TB", "default"),
        ("300iops/tb", 300.0, "IOPS/TB", "printed"), ("5IOPS/GB", 5.0, "IOPS/GB", "printed"),
        ("15,000IOPS/TB", 15000.0, "IOPS/TB", "printed"),
    ],
)  # fmt: skip
def test_rates_with_and_without_their_unit(given_, value, unit, origin):
    """A rate without a unit is per TB (ONTAP manual)."""
    assert units.per_capacity(given_) == (value, unit, origin)


def test_a_policy_is_asked_for_and_given_to_volumes(tmp_path):
    reading = read(tmp_path, ontap_qos.commands_text())
    row = reading.qos_adaptive_policies.frame.row(0, named=True)
    assert (row["policy"], row["origin"], row["peak_allocation"]) == (
        "AqosEpicProd", "create", "used-space",
    )  # fmt: skip
    assert (row["expected_iops"], row["peak_iops"], row["absolute_min_iops"]) == (
        15000.0, 30000.0, 7500.0,
    )  # fmt: skip
    assert row["expected_allocation"] is None
    assert reading.qos_assignments.frame.select("volume", "policy", "adaptive").rows() == [
        ("epic_rhel1_*", "AqosEpicProd", True), ("epic_rhel2_*", "AqosEpicProd", True),
        ("epic_rhel3_*", None, True),
    ]  # fmt: skip
    assert reading.evidence.warnings == ()


def test_a_command_over_several_lines_and_with_dashes_of_a_word_processor(tmp_path):
    text = (
        "qos adaptive-policy-group create \\\n  -policygroup gold \\\n  \u2013vserver svm_1 "
        "-expected-iops 1200iops/tb -peak-iops 3600iops/tb -block-size 32K\n"
    )
    row = read(tmp_path, text).qos_adaptive_policies.frame.row(0, named=True)
    assert (row["policy"], row["vserver"], row["block_size"], row["line"]) == (
        "gold", "svm_1", "32K", 1,
    )  # fmt: skip


def test_odd_policies_are_told(tmp_path):
    text = (
        "qos adaptive-policy-group modify -policy-group bully -expected-iops 3000 -peak-iops 2000\n"
        "qos adaptive-policy-group modify -policy-group extreme -peak-iops 9000\n"
        "vol modify -vserver epic -volume x -qos-adaptive-policy-group non\n"
        "qos adaptive-policy-group create -policy-group gold -instant true\n"
    )
    reading = read(tmp_path, text)
    assert reading.evidence.warnings == (
        "line 2: extreme is a default policy, which ONTAP does not let be modified",
        "line 3: -qos-adaptive-policy-group non: a policy of that name, or a cut-off 'none'? read "
        "as a name",
        "line 4: option -instant of qos adaptive-policy-group create is not known",
        "line 1: policy bully: peak 2,000 IOPS/TB is below expected 3,000 IOPS/TB",
    )


def test_packed_with_gzip_it_is_the_same(tmp_path):
    text = ontap_qos.commands_text()
    plain = read(tmp_path, text)
    packed = tmp_path / "qos.txt.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    found = pk.read(packed)
    assert found.evidence.kind == "ontap-qos"
    for name in plain:
        assert found[name].frame.equals(plain[name].frame)


DOCUMENT = """\
5.2 Quality of service
The cluster comes with three policies, of which none suits the database:
{defaults}3 entries were displayed.
The volumes of production get a policy of their own, the noisy neighbour a low peak:

qos adaptive-policy-group modify -policy-group aqos-
prod1 -expected-iops 6000 -peak-iops 12000 -absolute-min-iops 3000
qos adaptive-policy-group modify –policy-group aqos-bully –expected-iops 900 –peak-iops 700
vol modify -vserver db -volume db_data* -qos-adaptive-policy-group aqos-prod1
vol modify -vserver db -volume bully -qos-adaptive-policy-group none

After an hour the latency was as before.
"""


def test_listings_and_commands_are_found_in_the_text_of_a_document(tmp_path):
    """Prose around them gives no row; commands with dashes of print are commands."""
    text = DOCUMENT.format(defaults=DEFAULTS).replace("aqos-\nprod1", "aqos-prod1")
    reading = read(tmp_path, text)
    frame = reading.qos_adaptive_policies.frame
    assert frame.select("policy", "origin", "expected_iops", "peak_iops").rows() == [
        ("extreme", "show", 6144.0, 12288.0), ("performance", "show", 2048.0, 4096.0),
        ("value", "show", 128.0, 512.0), ("aqos-prod1", "modify", 6000.0, 12000.0),
        ("aqos-bully", "modify", 900.0, 700.0),
    ]  # fmt: skip
    assert frame["absolute_min_iops"].to_list() == [None, None, None, 3000.0, None]
    assert reading.qos_assignments.frame["policy"].to_list() == ["aqos-prod1", None]


def test_an_output_in_a_fence_ends_with_it(tmp_path):
    """A page in Markdown: the prose behind a fence is not a row, and displays are counted on."""
    shown = "```\nWorkload ID IOPS\n-------- -- ----\n-total- - 20\n{} 7 20\n```\n"
    text = (
        f"Before:\n{shown.format('db')}Then a policy was set:\n{shown.format('log')}That is it.\n"
    )
    reading = read(tmp_path, text)
    assert reading.qos_statistics.frame.select("sample", "iteration", "name").rows() == [
        (1, 1, "-total-"), (1, 1, "db"), (2, 1, "-total-"), (2, 1, "log"),
    ]  # fmt: skip
    assert reading.evidence.warnings == ("line 15: not read: 'That is it.'",)


def test_a_policy_of_a_file_is_not_said_of_its_volume(tmp_path):
    """Without the file it would look as if the whole volume had the limit."""
    line = "volume file modify -vserver svm1 -volume nfs1 -file /a/b.vmdk -qos-policy-group fast\n"
    frame = read(tmp_path, line).qos_assignments.frame
    assert frame.select("volume", "path", "policy").rows() == [("nfs1", "/a/b.vmdk", "fast")]


@pytest.mark.skipif(not SEEDS.is_dir(), reason="the documents are not here")
@pytest.mark.parametrize("name", ["000_521c2c7af432053c.txt", "001_3dbb4fac093afa7e.txt"])
def test_everything_of_qos_in_tr_4784(name):
    """Both versions of the document: three defaults, four commands, three assignments."""
    reading = pk.read(SEEDS / name, kind="ontap-qos")
    frame = reading.qos_adaptive_policies.frame
    assert frame.filter(pl.col("origin") == "show")["policy"].to_list() == [
        "extreme", "performance", "value",
    ]  # fmt: skip
    asked = frame.filter(pl.col("origin") == "modify")
    assert asked.select("policy", "expected_iops", "peak_iops", "absolute_min_iops").rows() == [
        ("aqos-epic-prod1", 5000.0, 10000.0, 4000.0), ("aqos-epic-prod1", 5000.0, 10000.0, 4000.0),
        ("aqos-epic-prod2", 6000.0, 20000.0, 5000.0), ("aqos-epic-bully", 3000.0, 2000.0, 2000.0),
    ]  # fmt: skip
    assert reading.qos_assignments.frame["policy"].to_list() == ["AqosEpicProd"] * 2 + ["non"]


# ---- statistics


def test_the_fewest_columns_of_statistics_are_three(tmp_path):
    """Heads without a rule below them are told by their words alone."""
    row = read(tmp_path, "Workload ID IOPS\ndb_log 7 120\n").qos_statistics.frame.row(0, named=True)
    assert (row["name"], row["id"], row["iops"], row["latency_s"]) == ("db_log", 7, 120.0, None)
    with pytest.raises(ParseError, match="no output and no command"):
        read(tmp_path, "Workload IOPS\ndb_log 120\n")


def test_performance_of_policy_groups(tmp_path):
    """KB/s and MB/s are binary: 986 IOPS of 32 KiB are 30.82MB/s; -total- begins an iteration."""
    frame = read(tmp_path, PERFORMANCE).qos_statistics.frame
    assert frame["iteration"].to_list() == [1, 1, 1, 1, 2, 2]
    assert frame["is_total"].to_list() == [True, False, False, False, True, False]
    row = frame.row(1, named=True)
    assert (row["name"], row["scope"], row["view"]) == ("svm1-sql", "policy group", "performance")
    assert (row["iops"], row["latency_s"], row["is_adaptive"]) == (986.0, 0.000512, False)
    assert row["bw_bytes_per_s"] == 30.82 * 2**20
    assert row["bw_bytes_per_s"] / row["iops"] == pytest.approx(32 * 1024, rel=1e-3)
    assert frame["is_adaptive"].to_list()[0] is None
    assert frame["latency_s"].to_list()[4] == 0.00301


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 1000), count=st.integers(1, 4))
def test_statistics_of_volumes_come_back(tmp_path, seed, count):
    """Latency and performance of every workload and iteration, exactly as printed."""
    shown = ontap_qos.iterations(seed, count)
    rows = [row for part in shown for row in part]
    text = ontap_qos.latency_text(shown) + "\n" + ontap_qos.performance_text(shown)
    reading = read(tmp_path, text)
    frame = reading.qos_statistics.frame
    for view in ("latency", "performance"):
        part = frame.filter(pl.col("view") == view)
        assert part["name"].to_list() == [row.name for row in rows]
        assert part["id"].to_list() == [row.number for row in rows]
        assert part["iteration"].to_list() == [i + 1 for i, p in enumerate(shown) for _ in p]
        printed = [float(f"{row.latency_us}e-6") for row in rows]
        assert part["latency_s"].to_list() == pytest.approx(printed, abs=5.1e-6)
    assert frame.filter(pl.col("view") == "performance")["iops"].to_list() == [
        float(row.iops) for row in rows
    ]
    parts = frame.filter(pl.col("view") == "latency")
    assert parts["latency_disk_s"].to_list() == [float(f"{row.parts_us[3]}e-6") for row in rows]
    assert reading.evidence.warnings == ()


def test_the_parts_of_the_newest_releases(tmp_path):
    """N-Blade and D-Blade are network and data; a long workload name has a line of its own."""
    heads = ("Workload", "ID", "Latency", "N-Blade", "Cluster", "D-Blade", "Disk", "QoS Max",
             "QoS Min", "NVRAM", "Cloud", "FlexCache", "SM Sync", "VA", "AVSCAN")  # fmt: skip
    cells = ("7", "495.00us", "108.00us", "0ms", "147.00us", "220.00us", "0ms", "20.00us",
             *["0ms"] * 6)  # fmt: skip
    text = (
        "cluster1::*> qos statistics workload latency show\n"
        f"{'  '.join(heads)}\n{' '.join('-' * len(head) for head in heads)}\n"
        f"a_workload_with_a_long_name-wid7\n        {'  '.join(cells)}\n"
    )
    row = read(tmp_path, text).qos_statistics.frame.row(0, named=True)
    assert (row["name"], row["id"]) == ("a_workload_with_a_long_name-wid7", 7)
    assert (row["latency_network_s"], row["latency_data_s"]) == (0.000108, 0.000147)
    assert (row["latency_qos_min_s"], row["latency_avscan_s"]) == (0.00002, 0.0)
    assert row["latency_qos_s"] is None


def test_characteristics_and_statistics_workload_show(tmp_path):
    text = """\
Workload            ID     IOPS      Throughput      Request size    Read  Concurrency
--------------- ------ -------- --------------- ----------------- ------- ------------
-total-              -     5076       37.88MB/s             7825B     65%            2
volume_a         14368     4843       37.82MB/s             8189B     68%            2

cluster1::*> statistics workload show

cluster1 : 12/31/2013 16:00:04

                *Total Read Write Other   Read Write Latency
       Workload    Ops  Ops   Ops   Ops  (Bps) (Bps)    (us)
--------------- ------ ---- ----- ----- ------ ----- -------
_USERSPACE_APPS     44    0     5     5   4037     0      30
"""
    total, volume, workload = read(tmp_path, text).qos_statistics.frame.rows(named=True)
    assert (total["id"], total["read_ratio"], total["concurrency"]) == (None, 0.65, 2.0)
    assert (volume["id"], volume["request_size_bytes"]) == (14368, 8189.0)
    assert volume["view"] == "characteristics"
    assert (workload["view"], workload["iops"], workload["write_iops"]) == ("workload", 44.0, 5.0)
    assert (workload["read_bytes_per_s"], workload["latency_s"]) == (4037.0, 0.00003)
    assert workload["started_at"] == dt.datetime(2013, 12, 31, 16, 0, 4)


# ---- faults


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("hello\n", "no output and no command of ONTAP's QoS in it"),
        (PERFORMANCE.replace("986 ", ""), "ontap.txt:6: 4 cells where 5 columns belong"),
        (PERFORMANCE.replace("30.82MB/s   512", "30.82MX/s   512"),
         "ontap.txt:6: column 'throughput': '30.82MX/s' is not a size or throughput"),
        (PERFORMANCE.replace("512.00us", "512.00"),
         "ontap.txt:6: column 'latency': '512.00' is not a time such as 327.00us or 1.2ms"),
        ("qos adaptive-policy-group create -policy-group a b -peak-iops 1\n",
         "ontap.txt:1: qos adaptive-policy-group create: 'b' belongs to no option"),
        ("qos adaptive-policy-group create -policy-group a -peak-iops lots\n",
         "ontap.txt:1: 'lots' is not a rate such as 6144IOPS/TB"),
        ("qos adaptive-policy-group create -peak-iops 1\n",
         "ontap.txt:1: qos adaptive-policy-group create without -policy-group"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_the_place(tmp_path, text, message):
    with pytest.raises(ParseError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


def test_a_cut_off_file_loses_its_last_row_and_says_so(tmp_path):
    reading = read(tmp_path, PERFORMANCE.removesuffix("     4.32ms false\n"))
    assert len(reading.qos_statistics) == 5
    assert reading.evidence.warnings == (
        "line 10: the file is cut off in this row: it is left out",
    )


def test_columns_that_are_mixed_up_do_not_add_up(tmp_path):
    text = ontap_qos.latency_text(ontap_qos.iterations(1, 1))
    swapped = text.replace("Latency    Network", "Network    Latency")
    notes = read(tmp_path, swapped).evidence.warnings
    assert len(notes) == 3
    assert all("columns mixed up?" in note for note in notes)


def test_the_kind_is_told_by_the_content(tmp_path):
    shown = ontap_qos.iterations(1, 1)
    for text in (DEFAULTS, INSTANCE, PERFORMANCE, ontap_qos.commands_text(),
                 ontap_qos.latency_text(shown).split("\n", 1)[1]):  # fmt: skip
        path = tmp_path / "x"
        path.write_text(text)
        assert kind_of(path) == "ontap-qos"


@pytest.mark.parametrize("cell", ["460,00us", "1,2ms", "12,5", "1,2345"])
def test_a_decimal_comma_is_no_number_and_never_a_hundred_times_as_much(tmp_path, cell):
    """A comma groups thousands: 460,00us is not 46 ms."""
    for function in (units.seconds, units.bytes_of, units.count, units.per_capacity, units.iops):
        with pytest.raises(ValueError, match="is no"):
            function(cell)
    with pytest.raises(ParseError, match=r":6: column 'latency': '512,00us' is not a time"):
        read(tmp_path, PERFORMANCE.replace("512.00us", "512,00us"))
    assert units.count("12,345") == 12345.0
    assert units.seconds("1,234.5us") == 0.0012345


def test_a_last_row_without_a_line_end_is_doubted(tmp_path):
    """The last digit of its last cell may be missing: a copy that ends in digits is told."""
    listing = (
        "Workload        ID     IOPS\n"
        "--------------- ------ --------\n"
        "vol1-wid11001   11001  12345\n"
    )
    doubt = "line 3: the file ends without a line end: its last cell may be cut off"
    assert read(tmp_path, listing).evidence.warnings == ()
    assert read(tmp_path, listing.removesuffix("5\n")).evidence.warnings == (doubt,)
