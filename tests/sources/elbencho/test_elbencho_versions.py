"""elbencho's columns from 1.4 to 3.1: what a version lacks is null, and the live file has a result.

The older forms are recorded outputs of 3.1 without the columns that came later.
"""

import polars as pl
import pytest

import perfkit as pk
from perfkit.core.errors import ParseError

NEW = {
    "2.0-7": [],
    "1.4": ["label", "version", "command", *(f"rwmix read {name}" for name in (
        "entries/s [first]", "entries/s [last]", "entries [first]", "entries [last]", "MiB [first]",
        "MiB [last]", "Ent lat us [min]", "Ent lat us [avg]", "Ent lat us [max]", "IO lat us [min]",
        "IO lat us [avg]", "IO lat us [max]"))],
}  # fmt: skip
LIVE_NEW = {"2.3": ["ISO Date"], "2.1": ["ISO Date", "Lat Ent us", "Lat IO us"]}
"""Version -> the columns that came after it."""


@pytest.fixture
def data(fio_data):
    return fio_data.parent / "elbencho"


def older(source, place, dropped):
    """A recorded CSV without some columns."""
    lines = [line.split(",") for line in source.read_text().splitlines()]
    kept = [n for n, name in enumerate(lines[0]) if name not in dropped]
    place.write_text("".join(",".join(cells[n] for n in kept) + "\n" for cells in lines))
    return place


@pytest.mark.parametrize("version", NEW)
@pytest.mark.parametrize("name", ["seq_wr.csv", "limitread.csv"])
def test_an_older_result_has_the_same_numbers(data, tmp_path, version, name):
    whole, found = pk.read(data / name), pk.read(older(data / name, tmp_path / name, NEW[version]))
    assert found.load_points.frame.drop("in_flight").equals(
        whole.load_points.frame.drop("in_flight")
    )
    if version == "1.4":
        assert found.load_points.frame["in_flight"].is_null().all()
        assert found.evidence.tool_version is None
        assert found.phases.frame["label"].null_count() == found.phases.frame.height
        assert "rate_limit" not in found.job_options.frame["option"].to_list()
    assert not [text for text in found.evidence.warnings if "does not know" in text]


def test_without_a_command_nothing_tells_why_a_phase_ended(data, tmp_path):
    """A time limit and an interrupt leave the same row: it is read, and said."""
    found = pk.read(older(data / "limitread.csv", tmp_path / "x.csv", NEW["1.4"]))
    assert (
        "line 2: moved 16777216 of 268435456 bytes, and without its command nothing tells whether "
        "a limit or an interrupt ended it"
    ) in found.evidence.warnings


def test_the_latency_of_an_old_mixed_phase_is_of_both_directions(data, tmp_path):
    """Before 2.0-7 one latency stood for reads and writes: it is neither's."""
    place = older(data / "rwmix75.csv", tmp_path / "rwmix75.csv", NEW["1.4"])
    columns = ("direction", "iops", "lat_mean_s", "lat_max_s")
    found = pk.read(place).load_points.frame.select(columns)
    whole = pk.read(data / "rwmix75.csv").load_points.frame.select(columns)
    assert found["iops"].to_list() == pytest.approx(whole["iops"].to_list(), rel=1e-3)
    assert found["lat_mean_s"].to_list() == found["lat_max_s"].to_list() == [None] * 3
    assert whole["lat_mean_s"].null_count() == 0


def test_reads_of_which_no_column_says_the_bytes_are_refused(data, tmp_path):
    """Their bytes are taken from the I/Os, where these are of the block size."""
    place = older(data / "rwmix75.csv", tmp_path / "rwmix75.csv", NEW["1.4"])
    bytes_per_s = pk.read(place).load_points.frame["bw_bytes_per_s"].to_list()
    whole = pk.read(data / "rwmix75.csv").load_points.frame["bw_bytes_per_s"].to_list()
    assert bytes_per_s == pytest.approx(whole, rel=1e-2)
    lost = older(place, tmp_path / "lost.csv", ["block size", "block size[B]"])
    with pytest.raises(ParseError, match="no column 'block size'"):
        pk.read(lost)
    odd = tmp_path / "odd.csv"
    head, *rows = place.read_text().splitlines()
    at = head.split(",").index("block size")
    cells = rows[0].split(",")
    cells[at] = str(int(cells[at]) * 4)
    odd.write_text(f"{head}\n{','.join(cells)}\n")
    with pytest.raises(ParseError, match=r"odd.csv:2: rwmix read MiB .last.: without it"):
        pk.read(odd)


@pytest.mark.parametrize("version", LIVE_NEW)
@pytest.mark.parametrize("name", ["rwmix75.live.csv", "two_rand_read.live.csv"])
def test_an_older_live_file_has_the_same_rates(data, tmp_path, version, name):
    """Without the columns of latency it is null."""
    whole = pk.read(data / name).series.frame
    found = pk.read(older(data / name, tmp_path / name, LIVE_NEW[version]))
    assert found.evidence.kind == "elbencho-live"
    dropped = ["lat_mean_s", "workload", "load_kind", "load"]
    assert found.series.frame.drop(dropped).equals(whole.drop(dropped))
    known = found.series.frame["lat_mean_s"]
    assert known.equals(whole["lat_mean_s"]) if version == "2.3" else known.is_null().all()


def test_a_phase_that_stands_in_the_file_twice_is_two(data, tmp_path):
    """elbencho appends: time and bytes begin anew, and so do the intervals."""
    text = (data / "rand_read2.live.csv").read_text()
    _, _, rows = text.partition("\n")
    place = tmp_path / "twice.live.csv"
    place.write_text(text + rows)
    series = pk.read(place).series.frame
    once, again = (series.filter(repeat=number).drop("repeat") for number in (1, 2))
    assert once.equals(again)
    own = pk.read(data / "rand_read2.live.csv").series.frame
    assert once.equals(own.drop("repeat"))


def test_time_that_goes_back_without_the_bytes_is_damage(data, tmp_path):
    place = tmp_path / "x.live.csv"
    text = (data / "rwmix75.live.csv").read_text()
    place.write_text(text.replace(",RWMIX75,1000,", ",RWMIX75,100,"))
    with pytest.raises(ParseError, match="time or bytes go back"):
        pk.read(place)


def test_a_live_file_is_matched_to_the_result_that_says_it_wrote_it(data, tmp_path):
    """Its command names the live file; workload and load are the result's, phase by phase."""
    for name in ("rwmix75.live.csv", "rwmix75.json"):
        (tmp_path / name).write_bytes((data / name).read_bytes())
    found = pk.read(tmp_path / "rwmix75.live.csv", root=tmp_path)
    points = pk.read(tmp_path / "rwmix75.json").load_points.frame
    keys = ("workload", "load_kind", "load")
    assert found.series.frame.select(keys).unique().equals(points.select(keys).unique())
    assert [part.path for part in found.evidence.parts] == ["rwmix75.live.csv", "rwmix75.json"]
    assert "load_points" not in found
    result = tmp_path / "rwmix75.json"
    result.write_text(result.read_text().replace("rwmix75.live.csv", "other.live.csv"))
    alone = pk.read(tmp_path / "rwmix75.live.csv")
    assert alone.series.frame["workload"].is_null().all()
    assert alone.evidence.parts == ()


def test_a_damaged_result_beside_a_live_file_is_not_its_result(data, tmp_path):
    (tmp_path / "x.live.csv").write_bytes((data / "rwmix75.live.csv").read_bytes())
    (tmp_path / "x.json").write_text('{"phase_type": "READ"')
    (tmp_path / "x.csv").write_text("a,b\n")
    found = pk.read(tmp_path / "x.live.csv").series.frame
    assert found.select(pl.col("workload", "load").is_null().all()).row(0) == (True, True)


def test_each_run_of_a_phase_has_the_load_of_its_own_result(data, tmp_path):
    """Two phases of one name: 2 threads, then 1; the third time is of neither."""
    text = (data / "append.json").read_text()
    command = '\\"--livecsv\\" \\"out\\/append.live.csv\\" \\"--nolive\\"'
    (tmp_path / "append.json").write_text(text.replace('\\"--nolive\\"', command))
    live = "Label,Phase,RuntimeMS,Rank,MixType,DoneBytes,Lat IO us,Service\n"
    live += "".join(f",READ,500,Total,,{done},,\n,READ,900,Total,,{2 * done},,\n"
                    for done in (40960, 8192, 4096))  # fmt: skip
    (tmp_path / "append.live.csv").write_text(live)
    series = pk.read(tmp_path / "append.live.csv", root=tmp_path).series.frame
    found = series.select("repeat", "load_kind", "load").unique(maintain_order=True).rows()
    assert found == [(1, "numjobs", 2.0), (2, "iodepth", 1.0), (3, None, None)]
