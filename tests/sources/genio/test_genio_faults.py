"""What is wrong with a summary is an error or a warning with line and column, never a number."""

import pytest
from forges import genio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import perfkit as pk
from perfkit.core.errors import ParseError, UsageError

HEADS = "Run,Read IOPS,Write IOPS,Total IOPS,Longest Write Cycle (sec),Effective Write Latency (ms)"
ROWS = "10,55655,18176,73832,32.66,0.12\n11,55653,18114,73768,34.66,0.1\n"


def write(folder, text):
    path = folder / "summary.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def fault(folder, text, **given):
    with pytest.raises(ParseError) as caught:
        pk.read(write(folder, text), **given, kind="genio")
    return str(caught.value).removeprefix(str(folder / "summary.csv"))


def warned(folder, text, **given):
    reading = pk.read(write(folder, text), **given, kind="genio")
    return reading.genio_runs.frame, reading.evidence.warnings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": the file is empty"),
        ("\n \n", ": the file is empty"),
        (f"{HEADS}\n", ":1: a header and no row below it"),
        (f"{HEADS}\n\n\n", ":1: a header and no row below it"),
        ("hello\nworld\n", ": no column heads of GenIO's summary.csv in it"),
        (b"PK\x03\x04abc", ": an Excel workbook (or another zip archive): save the sheet as CSV, "
                           "and read that"),
        (b"\xd0\xcf\x11\xe0abc", ": an Excel workbook of the old form (.xls): save the sheet as "
                                 "CSV, and read that"),
        (f"{HEADS}\n{ROWS}".encode() + b"\xe9\n", ":4: not UTF-8 text here"),
        (f"{HEADS}\n{ROWS}".encode() + b"12\0\n", ":4: not text: NUL characters in it"),
        (b"\x1f\x8bxx", ": gzip data is cut off or damaged: "),
        (f"{HEADS}\n10,55655,x18176,73832,32.66,0.12\n",
         ":2: column 'Write IOPS': 'x18176' is not a number"),
        (f"{HEADS}\n10,55655,18176,73832,32.66,0.12 ms\n",
         ":2: column 'Effective Write Latency (ms)': '0.12 ms' is not a number"),
        (f"{HEADS}\n10,55655,18176\n{ROWS}", ":2: 3 cells where 6 columns belong"),
        (f"{HEADS}\n10,55,655,18,176,73,832,32.66,0.12\n",
         ":2: 9 cells where 6 columns belong; unquoted thousands commas?"),
        ("Run,Read IOPS,Reads/s,Total IOPS\n1,2,3,4\n",
         ":1: columns 'Read IOPS' and 'Reads/s' are both read_iops"),
        ("Run,Total IOPS,Longest Write Cycle (parsec)\n1,2,3\n",
         ":1: column 'Longest Write Cycle (parsec)': unit 'parsec'; did you mean 'sec'?"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_names_the_place(tmp_path, text, message):
    assert fault(tmp_path, text).startswith(message)


def test_no_file_no_folder_and_a_folder_without_a_summary(tmp_path):
    with pytest.raises(ParseError, match="there is no such file"):
        pk.read(tmp_path / "none.csv", kind="genio")
    with pytest.raises(ParseError, match=r"no summary\.csv in this folder"):
        pk.read(tmp_path, kind="genio")
    with pytest.raises(UsageError, match="decimal='x'"):
        pk.read(tmp_path, decimal="x", kind="genio")


def test_a_workbook_is_named_whatever_the_file_is_called(tmp_path):
    path = tmp_path / "summary.xlsx"
    path.write_bytes(b"PK\x03\x04abc")
    with pytest.raises(ParseError, match="an Excel workbook"):
        pk.read(path)


# ---- decimal commas and thousands commas

SEMI = HEADS.replace(",", ";")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("10;55,655;18,176;73,832;33;1", ":2: column 'Read IOPS': '55,655' is 55655 or 55.655: "
         "nothing in the file says whether ',' is the decimal sign (say which with decimal=)"),
        ("10;55.655;18.176;73.832;33;1", ":2: column 'Read IOPS': '55.655' is 55655 or 55.655: "
         "nothing in the file says whether '.' is the decimal sign (say which with decimal=)"),
        ("10;55655;18176;73832;33,125;1", ":2: column 'Longest Write Cycle (sec)': '33,125' is "
         "33125 or 33.125: nothing in the file says whether ',' is the decimal sign (say which "
         "with decimal=)"),
        ("10;55655;18176;73832;32,66;0.12", ":2: column 'Effective Write Latency (ms)': '0.12' and "
         "'32,66' of line 2 contradict: decimal point or decimal comma?"),
        ("10;55,655;18,176;73,832;32,66;0,12", ":2: column 'Read IOPS': '55,655' is 55.655 IOPS by "
         "the decimal sign of the other cells, and looks like grouped digits (say which sign with "
         "decimal=)"),
        ("10;55.655;18.176;73.832;32.66;0.12", ":2: column 'Read IOPS': '55.655' is 55.655 IOPS by "
         "the decimal sign of the other cells, and looks like grouped digits (say which sign with "
         "decimal=)"),
        ("10;1.2.3;18176;73832;33;1", ":2: column 'Read IOPS': '1.2.3' is not a number"),
    ],
)  # fmt: skip
def test_a_number_that_reads_two_ways_is_an_error(tmp_path, row, message):
    assert fault(tmp_path, f"{SEMI}\n{row}\n") == message


@pytest.mark.parametrize(
    ("decimal", "cycle", "reads"), [(".", 33125.0, 55655.0), (",", 33.125, 55655.0)]
)
def test_the_caller_may_say_which(tmp_path, decimal, cycle, reads):
    text = f"{SEMI}\n10;55655;18176;73832;33,125;1\n"
    frame = pk.read(write(tmp_path, text), decimal=decimal, kind="genio").genio_runs.frame
    assert (frame["longest_write_cycle_s"][0], frame["read_iops"][0]) == (cycle, reads)


def test_one_unambiguous_number_decides_for_the_file(tmp_path):
    frame, warnings = warned(
        tmp_path, f"{SEMI}\n10;55.655;18.176;73.832;33,125;1\n11;55.653;18.114;73.768;34,6;1\n"
    )
    assert frame["total_iops"].to_list() == [73832.0, 73768.0]
    assert frame["longest_write_cycle_s"].to_list() == [33.125, 34.6]
    assert warnings == ()


# ---- rows that are not runs


def test_heads_that_come_again_are_left_out(tmp_path):
    """Two summaries in one file: plain, and quoted."""
    more = ROWS.replace("10,", "12,", 1).replace("\n11", "\n13")
    for first, second in ((HEADS, HEADS), (HEADS, HEADS.replace("Run", '"Run"'))):
        frame, warnings = warned(tmp_path, f"{first}\n{ROWS}{second}\n{more}")
        assert frame["run"].to_list() == [10, 11, 12, 13]
        assert frame["line"].to_list() == [2, 3, 5, 6]
        assert warnings == ("line 4: the header again: left out",)


def test_other_heads_in_the_middle_are_an_error(tmp_path):
    other = HEADS.replace("Read IOPS,Write IOPS", "Write IOPS,Read IOPS")
    assert fault(tmp_path, f"{HEADS}\n{ROWS}{other}\n{ROWS}") == (
        ":4: column 'Read IOPS': 'Write IOPS' is not a number"
    )


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("cut", ["12", "12,5", "12,55643,18082,73726,35.6"])
def test_a_summary_cut_in_mid_row_loses_that_row_and_says_so(tmp_path, cut, end):
    frame, warnings = warned(tmp_path, f"{HEADS}\n{ROWS}{cut}{end}")
    assert frame["run"].to_list() == [10, 11]
    cells = cut.count(",") + 1
    assert warnings == (
        f"line 4: the file is cut off here ({cells} of 6 cells): the row is left out",
    )


def test_a_last_number_that_may_be_cut_is_a_warning(tmp_path):
    frame, warnings = warned(tmp_path, f"{HEADS}\n{ROWS}".rstrip("\n"))
    assert frame.height == 2
    assert warnings == ("line 3: the file ends without a line end: its last cell may be cut off",)


def test_averages_at_the_end_are_no_runs(tmp_path):
    frame, warnings = warned(tmp_path, f"{HEADS}\n{ROWS}Average,55654,18145,73800,33.66,0.11\n")
    assert frame["run"].to_list() == [10, 11]
    assert warnings == ("column 'Run': line 4: 'Average': not a run, the row is left out",)


def test_runs_that_are_there_twice(tmp_path):
    _, warnings = warned(tmp_path, f"{HEADS}\n{ROWS}{ROWS}")
    assert warnings == ("lines 2, 3, 4 and 1 more: run 10, 11 is there more than once",)


# ---- values that cannot be


@pytest.mark.parametrize(
    ("row", "column", "note"),
    [
        ("10,-5,18176,73832,32.66,0.12", "read_iops", "column 'Read IOPS': line 2: '-5'"),
        ("10,55655,18176,73832,-1,0.12", "longest_write_cycle_s",
         "column 'Longest Write Cycle (sec)': line 2: '-1'"),
        ("10,55655,18176,73832,100000,0.12", "longest_write_cycle_s",
         "column 'Longest Write Cycle (sec)': line 2: '100000'"),
        ("10,55655,18176,73832,32.66,0", "effective_write_latency_s",
         "column 'Effective Write Latency (ms)': line 2: '0'"),
        ("10,55655,18176,73832,32.66,99999", "effective_write_latency_s",
         "column 'Effective Write Latency (ms)': line 2: '99999'"),
        ("10,1e12,18176,73832,32.66,0.12", "read_iops", "column 'Read IOPS': line 2: '1e12'"),
        ("10,55655,18176,73832,nan,0.12", "longest_write_cycle_s",
         "column 'Longest Write Cycle (sec)': line 2: 'nan'"),
        ("10,55655,18176,73832,1.#INF,0.12", "longest_write_cycle_s",
         "column 'Longest Write Cycle (sec)': line 2: '1.#INF'"),
    ],
)  # fmt: skip
def test_impossible_values_are_null_and_named(tmp_path, row, column, note):
    """Not filled from the other columns either: a wrong value is not a missing one."""
    frame, warnings = warned(tmp_path, f"{HEADS}\n{row}\n")
    assert frame[column][0] is None
    assert frame["derived"][0] is None
    assert any(text.startswith(note) for text in warnings)


@pytest.mark.parametrize("word", ["", "-", "N/A", "n/a", "null", "\u2013"])
def test_words_for_no_value_are_null_never_0(tmp_path, word):
    frame, warnings = warned(tmp_path, f"{HEADS}\n10,55655,{word},73832,{word},0.12\n")
    row = frame.row(0, named=True)
    assert row["longest_write_cycle_s"] is None
    assert (row["write_iops"], row["derived"]) == (18177.0, "write_iops")
    assert warnings == ()


@pytest.mark.parametrize(
    ("row", "note"),
    [
        ("10,73832,18176,55655,32.66,0.12",
         "line 2: read + write is 92,008 IOPS, total 55,655: -36,353: columns swapped, or a value "
         "is wrong"),
        ("10,18176,55655,73832,32.66,0.12", "line 2: reads are not 70% to 80% of the I/O as GenIO "
         "mixes them: columns swapped?"),
        ("10,55655,18176,73832,0.12,32.66",
         "line 2: a write cycle below 1 s: columns swapped, or another unit?"),
        ("10,55655,18176,73832,32.66,1200", "line 2: an effective write latency of 1 s or more: "
         "columns swapped, or another unit?"),
        ("10,55600,18176,73832,32.66,0.12",
         "line 2: read + write is 73,776 IOPS, total 73,832: +56"),
        ("10,0,0,0,32.66,0.12", "line 2: 0 IOPS: the run did nothing"),
    ],
)  # fmt: skip
def test_columns_that_are_swapped_are_a_warning_with_the_line(tmp_path, row, note):
    _, warnings = warned(tmp_path, f"{HEADS}\n{row}\n")
    assert note in warnings


def test_a_wij_time_longer_than_its_cycle_is_a_warning(tmp_path):
    text = "Run,Total IOPS,Longest WIJ Time (sec),Longest Write Cycle (sec)\n1,73000,40,20\n"
    _, warnings = warned(tmp_path, text)
    assert warnings == (
        "line 2: the WIJ time is longer than the write cycle it is a part of: columns swapped?",
    )


def test_the_normal_98_percent_of_a_target_is_no_shortfall_and_90_is(tmp_path):
    command = "./RampRun.pl --miniops 75000 --maxiops 75000 --numruns 2 --system x"
    _, fine = warned(tmp_path, f"{HEADS}\n{ROWS}", command=command)
    _, short = warned(tmp_path, f"{HEADS}\n{ROWS}", command=command.replace("75000", "82000"))
    assert fine == ()
    assert short == (
        "lines 2, 3: achieved less than 95% or more than 102% of the inferred target: a shortfall, "
        "or the command is of another test",
    )


NOISE = st.sampled_from(["\n", ",", ";", '"', "-", ".", ",,", "nan", "\t", "x", "9" * 12, " ", "|"])


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(at=st.floats(0, 1), noise=NOISE, cut=st.booleans(), seed=st.integers(0, 50))
def test_damage_is_an_error_or_leaves_the_other_values_as_they_are(tmp_path, at, noise, cut, seed):
    """A text spliced in, or the rest cut off: ParseError, or every run is one that was written
    unless a warning or a changed line says otherwise."""
    runs = genio.cluster(seed, runs=4)["epic-rhel1"]
    text = genio.summary(runs)
    place = int(at * len(text))
    damaged = text[:place] if cut else text[:place] + noise + text[place:]
    line = text.count("\n", 0, place) + 1
    try:
        frame = pk.read(write(tmp_path, damaged), kind="genio").genio_runs.frame
    except ParseError:
        return
    wanted = {run.number: run for run in runs}
    for row in frame.rows(named=True):
        if row["line"] in {line, line + 1} or line == 1:
            continue
        assert row["total_iops"] == wanted[row["run"]].total_iops
        assert row["longest_write_cycle_s"] == float(wanted[row["run"]].longest_write_cycle_s)


def test_a_latency_within_a_microsecond_is_no_value(tmp_path):
    """Seconds under a head without a unit, read as the milliseconds that GenIO prints."""
    heads = HEADS.replace(" (ms)", "")
    frame, notes = warned(tmp_path, f"{heads}\n10,55655,18176,73832,32.66,0.00012\n")
    assert frame["effective_write_latency_s"].to_list() == [None]
    assert frame["longest_write_cycle_s"].to_list() == [32.66]
    assert (
        "column 'Effective Write Latency': line 2: '0.00012': no possible value, left out" in notes
    )
