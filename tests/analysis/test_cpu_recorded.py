"""How busy the CPUs of a recorded host were: from what mpstat prints to the sentences."""

import polars as pl
import pytest

import perfkit as pk
from perfkit.analysis.over_time.cpu_recorded import cpu_busiest
from perfkit.core.answers import from_frame
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import measured

HEAD = "CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle"


def row(cpu, usr, iowait, idle):
    return f"{cpu}  {usr:.2f} 0.00 0.00 {iowait:.2f} 0.00 0.00 0.00 0.00 0.00 {idle:.2f}"


def printed(*intervals):
    """What mpstat -P ALL prints: a clock and its rows (CPU, %usr, %iowait, %idle) an interval."""
    lines = ["Linux 5.14.0-1.x86_64 (h) \t05/24/2024 \t_x86_64_\t(2 CPU)"]
    before = "10:00:00"
    for clock, *rows in intervals:
        lines += ["", f"{before}     {HEAD}", *(f"{clock}     {row(*one)}" for one in rows)]
        before = clock
    return "\n".join(lines) + "\n"


@pytest.fixture
def of(tmp_path):
    def make(*intervals):
        (tmp_path / "mpstat.txt").write_text(printed(*intervals))
        reading = pk.read(tmp_path / "mpstat.txt")
        return cpu_busiest(reading["host_series"], reading["cpu"])

    return make


THREE = (
    ("10:00:05", ("all", 10, 20, 70), ("0", 15, 20, 65), ("1", 5, 20, 75)),
    ("10:00:10", ("all", 51, 9, 40), ("0", 97, 3, 0), ("1", 5, 15, 80)),
    ("10:00:15", ("all", 49.5, 0.5, 50), ("0", 99, 1, 0), ("1", 0, 0, 100)),
)


def test_the_busiest_interval_with_its_clock_and_the_cpu_without_time_left(of):
    (one,) = from_frame(of(*THREE).frame)
    assert (one.got.value, one.got.n, one.subject.get("ended")) == (0.51, 3, "10:00:10")
    assert one.subject.get("cpu") == "0"
    assert {item.metric: item.value for item in one.conditions} == {
        "t_s": 10.0, "sample": 2.0, "median": 0.495, "iowait": 0.2, "cpus": 2.0, "cpus_full": 1.0,
        "full_samples": 2.0, "single_samples": 3.0, "highest_of_one": 0.99,
    }  # fmt: skip


def test_the_sentences_say_what_the_numbers_are(of):
    (told,) = pk.finding(of(*THREE), "cpu_busiest")
    assert told.headline == (
        "The CPUs of the recording were at most 51% busy, in the interval that ended at 10:00:10."
    )
    assert told.text == (
        "The median of 3 intervals is 50%, and the highest share of idle time with I/O "
        "outstanding is 20%. 1 of 2 CPUs was at least 95% busy in some interval, CPU 0 most "
        "often: in 2 of 3."
    )
    (calm,) = pk.finding(of(THREE[0]), "cpu_busiest")
    assert calm.headline.endswith("at most 10% busy, in the one interval recorded.")
    assert calm.text == (
        "No single CPU of 2 was 95% busy in any interval: the highest is 15%, on CPU 0."
    )


def test_a_cpu_of_which_no_time_was_counted_is_not_busy(of):
    """mpstat prints 0.00 everywhere, idle too, of a CPU that is offline: not 100% busy."""
    offline = ("10:00:05", ("all", 10, 0, 90), ("0", 10, 0, 90), ("1", 0, 0, 0), ("2", 4, 0, 96))
    (one,) = from_frame(of(offline).frame)
    told = {item.metric: item.value for item in one.conditions}
    assert (told["cpus"], told["cpus_full"], told["highest_of_one"]) == (2.0, 0.0, 0.1)
    assert told["cpus_uncounted"] == 1.0
    (said,) = pk.finding(of(offline), "cpu_busiest")
    assert said.text.endswith("the highest is 10%, on CPU 0. For 1 more, no time was counted.")


def test_a_whole_host_of_which_no_time_was_counted_has_no_share(tmp_path):
    (tmp_path / "mpstat.txt").write_text(printed(("10:00:05", ("all", 0, 0, 0))))
    series = pk.read(tmp_path / "mpstat.txt")["host_series"]
    shares = series.frame.select(pl.selectors.matches("^cpu_(busy|user|system|iowait)_ratio$"))
    assert shares.rows() == [(None,) * 4]
    with pytest.raises(AbsentError, match="no recording has the busy share"):
        cpu_busiest(series)


def test_each_host_has_its_own_the_busiest_first():
    rows = {"system": ["a", "a", "b"], "host": [None] * 3, "t_s": [1.0, 2.0, None],
            "cpu_busy_ratio": [0.1, 0.2, 0.6]}  # fmt: skip
    found = cpu_busiest(
        measured(pl.DataFrame(rows, schema_overrides={"host": pl.String}), "host_series")
    )
    assert [item.headline for item in pk.finding(found, "cpu_busiest")] == [
        "The CPUs of b were at most 60% busy, in the one interval recorded.",
        "The CPUs of a were at most 20% busy, in the interval that ended 2.00 s into the "
        "recording.",
    ]


def test_without_a_clock_and_a_time_the_sample_is_told():
    rows = {"system": ["a"] * 2, "source": ["a/iostat.out"] * 2, "file": ["a/iostat.out"] * 2,
            "host": [None] * 2, "sample": [2, 3], "t_s": [None] * 2, "time": [None] * 2,
            "cpu_busy_ratio": [0.1, 0.2]}  # fmt: skip
    types = {"host": pl.String, "t_s": pl.Float64, "time": pl.Datetime}
    found = cpu_busiest(measured(pl.DataFrame(rows, schema_overrides=types), "host_series"))
    (told,) = pk.finding(found, "cpu_busiest")
    assert told.headline == "The CPUs of a were at most 20% busy, in sample 3."


def test_single_cpus_are_those_of_the_same_file():
    """Two recordings read as one: a CPU of the other is none of this host's."""
    series = {"source": ["x", "y"], "host": ["h", "g"], "t_s": [1.0, 1.0],
              "cpu_busy_ratio": [0.5, 0.4]}  # fmt: skip
    cpus = {"source": ["x", "x", "y", "y"], "cpu": ["0", "1"] * 2, "since_boot": [False] * 4,
            "idle_ratio": [0.5, 0.5, 0.0, 1.0], "usr_ratio": [0.5, 0.5, 1.0, 0.0],
            "iowait_ratio": [0.0] * 4}  # fmt: skip
    found = cpu_busiest(
        measured(pl.DataFrame(series), "host_series"), measured(pl.DataFrame(cpus), "cpu")
    )
    full = [
        next(item.value for item in one.conditions if item.metric == "cpus_full")
        for one in from_frame(found.frame)
    ]
    assert full == [0.0, 1.0]
