"""Sets of AWR reports of SLOB: real grammar in every dialect, and a closed loop behind them."""

import hashlib
import itertools

import pytest
from forges import make
from forges.awr import NARROW
from forges.slob_awr import MIXES, PLAIN, PROTOCOLS, SCHEMAS, THREADS, serve, write

from perfkit.sources.awr import read_awr

EVENT = "db file sequential read"


def digest(folder):
    files = sorted(path for path in folder.rglob("awr_*") if path.is_file())
    joined = b"".join(path.name.encode() + path.read_bytes() for path in files)
    return len(files), hashlib.sha256(joined).hexdigest()


def small(folder, seed=1, **options):
    folder.mkdir()
    write(folder, seed, **{"points": 2, "repeats": 1, **options})
    return folder


@pytest.mark.slow
def test_the_same_seed_gives_the_same_reports_and_another_seed_others(tmp_path):
    one, again, other = (
        digest(small(tmp_path / name, seed)) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )
    assert one == again
    assert one[1] != other[1]


@pytest.mark.slow
def test_a_set_has_a_report_for_each_protocol_mix_load_and_repeat(tmp_path):
    folder = small(tmp_path / "set", points=3, repeats=2)
    names = {str(path.relative_to(folder)) for path in folder.rglob("*.html")}
    assert names == {
        f"{protocol}/{mix}/awr_t{threads:03d}_r{repeat}.html"
        for protocol in PROTOCOLS
        for mix in MIXES
        for threads in (2, 56, 210)
        for repeat in (1, 2)
    }


@pytest.mark.parametrize("dialect", sorted(PLAIN))
def test_each_dialect_is_read_and_says_what_was_served(tmp_path, dialect):
    """Without spread, IOPS and the wait of reads are those of the closed loop."""
    folder = small(tmp_path / "set", dialect=dialect, points=1, spread=0)
    path = next((folder / "nvme-fc/select-75-update-25").iterdir())
    reading = read_awr(path)
    point = serve(PROTOCOLS["nvme-fc"], MIXES["select-75-update-25"], THREADS[-1] * SCHEMAS)
    total = reading.load_points.frame.row(2, named=True)
    waits = [
        row
        for row in reading.wait_events.frame.rows(named=True)
        if row["event"] == EVENT and row["scope"] == "foreground"
    ]
    row = next((row for row in waits if row["level"] == "cluster"), waits[0])
    # columns of text are narrower than such a load: ##### stands there, as in real reports
    told = ("wider than its column", "Activity Over Time: 3 more cells could not be read")
    wide = [text for text in reading.evidence.warnings if any(words in text for words in told)]
    assert list(reading.evidence.warnings) == (wide if dialect in NARROW else [])
    assert total["iops"] == pytest.approx(point.iops, rel=0.02)
    assert row["total_wait_s"] / row["waits"] == pytest.approx(point.latency_us / 1e6, rel=0.02)


def test_a_report_of_a_set_is_generated_evidence(tmp_path):
    make("slob-awr", tmp_path / "set", seed=3, options={"points": 1, "repeats": 1})
    path = next((tmp_path / "set/fcp/update-100").iterdir())
    assert read_awr(path).evidence.origin.kind == "generated"


def test_in_the_closed_loop_sessions_are_in_a_read_or_in_thought():
    """Little's law, and latency that rises with the load."""
    protocol, mix = PROTOCOLS["fcp"], MIXES["select-100"]
    points = [serve(protocol, mix, threads * SCHEMAS) for threads in THREADS]
    for before, after in itertools.pairwise(points):
        assert before.iops < after.iops
        assert before.latency_us < after.latency_us
    for threads, point in zip(THREADS, points, strict=True):
        assert point.iops * point.latency_us * mix.reads / 1e6 < threads * SCHEMAS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dialect": "rac-text"}, "no dialect 'rac-text' of whole reports"),
        ({"points": 16}, "1 to 15 points"),
        ({"points": 0}, "1 to 15 points"),
        ({"repeats": 0}, "1 repeat"),
        ({"spread": 1.0}, "spread"),
    ],
)
def test_what_cannot_be_made_is_refused(tmp_path, options, words):
    with pytest.raises(ValueError, match=words):
        write(tmp_path, 1, **options)
