# ruff: noqa: E501, DTZ001 - lines of a log are as long as they are, and name no zone
"""What looks like a block and is none, damaged and foreign files: one clear message, no invention."""

import gzip
from datetime import datetime

import pytest
from forges.sas import Log, Step

from perfkit.core.errors import ParseError, UsageError
from perfkit.sources import kind_of
from perfkit.sources.sas.labels import LANGUAGES, Language
from perfkit.sources.sas.read import is_sas_log, read_sas, sas_to_parquet, scan_sas
from perfkit.sources.sas.values import header_time

HEAD = "NOTE: PROCEDURE SORT used (Total process time):\n"
STIMER = (
    HEAD + "      real time           1:03.50 seconds\n      cpu time            0.02\n      \n"
)
FULL = Log([Step()], ends=False).text()


def read(tmp_path, text, written="utf-8", **options):
    path = tmp_path / "x.log"
    path.write_bytes(text if isinstance(text, bytes) else text.encode(written))
    return read_sas(path, **options)


def test_a_unit_that_is_there_or_not_does_not_matter(tmp_path):
    (row,) = read(tmp_path, STIMER).steps.frame.to_dicts()
    assert (row["name"], row["real_time_s"], row["cpu_s"]) == ("SORT", 63.5, 0.02)


LOOK_ALIKES = [
    "real time 0.06 seconds\ncpu time 0.06 seconds",
    "      real time           9.99 seconds\n      cpu time            9.99 seconds",
    "12     put 'NOTE: DATA statement used (Total process time):';\n      real time   9.99 seconds",
    "12   !  NOTE: DATA statement used (Total process time):\n      real time   9.99 seconds",
    "MPRINT(X):   NOTE: DATA statement used (Total process time):\n      real time   9.99 seconds",
    "MLOGIC(X): ERROR: not one\nSYMBOLGEN:  WARNING: not one",
    "NOTE: Numeric values have been converted to character values used in line 3.",
    "NOTE: The SAS System stopped processing this step because of errors.",
    "NOTE: Multiple concurrent threads will be used to summarize data.",
    "      memory              999.99k\n      Step Count                        99  Switch Count  9",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_a_program_prints_or_echoes_is_no_block(tmp_path, text):
    found = read(tmp_path, f"{text}\n{STIMER}\n{text}\n{STIMER}{text}\n")
    assert found.steps.frame["real_time_s"].to_list() == [63.5, 63.5]
    assert found.steps.frame["memory_bytes"].to_list() == [None, None]
    assert len(found.messages) == len(found.datasets) == len(found.other_blocks) == 0


@pytest.mark.slow
def test_a_log_that_is_cut_off_never_gives_a_wrong_number(tmp_path):
    """Cut at any byte behind the block's NOTE: every figure is what the whole log says, or null."""
    (whole,) = read(tmp_path, FULL).steps.frame.to_dicts()
    begin = FULL.index(":\n", FULL.index("NOTE: DATA")) + 1
    ends = {i for i, letter in enumerate(FULL) if letter == "\n"} | {
        i + 1 for i in range(len(FULL))[::7]
    }
    for size in sorted(size for size in ends if begin <= size < len(FULL)):
        (row,) = read(tmp_path, FULL[:size]).steps.frame.to_dicts()
        told = {name for name, value in row.items() if value is not None} - {"complete", "form"}
        assert {name: row[name] for name in told} == {name: whole[name] for name in told}
        assert row["complete"] == (row["block_output_operations"] is not None), FULL[:size]


def test_a_block_that_is_cut_off_is_told(tmp_path):
    cut = FULL[: FULL.index("      OS Memory") + 20]
    found = read(tmp_path, cut)
    (row,) = found.steps.frame.to_dicts()
    assert not row["complete"]
    assert row["os_memory_bytes"] is None
    assert found.evidence.warnings == (
        f"line {row['line']}: the timing block is not whole: what is missing is null",
    )


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"]
)
def test_encodings(tmp_path, encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    text = f"{mark}WARNING: Größe geändert.\r\n{FULL}"
    found = read(tmp_path, text, encoding)
    assert len(found.steps) == 1
    assert found.messages.frame["text"].to_list() == ["Größe geändert."]
    assert any("Latin-1" in text for text in found.evidence.warnings) == (
        encoding in {"latin-1", "cp1252"}
    )


def test_mixed_line_ends_and_old_mac(tmp_path):
    lines = FULL.splitlines()
    mixed = "".join(line + ("\r\n" if i % 3 else "\n") for i, line in enumerate(lines))
    want = read(tmp_path, FULL).steps.frame
    assert read(tmp_path, mixed).steps.frame.equals(want)
    assert read(tmp_path, "\r".join(lines) + "\r").steps.frame.equals(want)


def test_gzip_is_unpacked(tmp_path):
    data = gzip.compress(FULL.encode())
    assert len(read(tmp_path, data).steps) == 1
    with pytest.raises(ParseError, match="gzip data is cut off"):
        read(tmp_path, data[:-20])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\r\n", "the file is empty"),
        (b"hello\nworld\n", "no SAS log: no line of it begins with NOTE"),
        (b"NOTE: x\n\x00\x01\x02\n", "x.log:2: a binary file"),
        ("NOTE: The data set WORK.A has 1 observations".encode("cp037"), "EBCDIC"),
        (b"/* JOBSPLIT: JOBSTARTTIME 26AUG2021:19:24:29.94 */\n", "PROC SCAPROC, not a log"),
    ],
)
def test_what_is_refused(tmp_path, data, message):
    with pytest.raises(ParseError, match=message):
        read(tmp_path, data)


def test_a_record_of_scaproc_is_told_apart_and_refused(tmp_path):
    path = tmp_path / "x.sas"
    path.write_text(
        "/* JOBSPLIT: TASKSTARTTIME 26AUG2021:19:24:29.94 */\n/* JOBSPLIT: ELAPSED 20 */\n"
    )
    assert kind_of(path) == "sas"


def test_no_timing_at_all_says_that_stimer_was_off(tmp_path):
    found = read(tmp_path, "NOTE: The data set WORK.A has 3 observations and 2 variables.\n")
    assert len(found.steps) == 0
    assert found.evidence.warnings == (
        "no timing block in the log: STIMER was off, or NOTES; there are no times",
    )
    assert found.evidence.sections[0].status == "absent"
    assert found.datasets.frame["step"].to_list() == [None]


def test_values_of_no_known_form_are_null_and_told(tmp_path):
    text = HEAD + "      real time           1:75.00\n      cpu time            0.02 fortnights\n"
    found = read(tmp_path, text)
    (row,) = found.steps.frame.to_dicts()
    assert (row["real_time_s"], row["cpu_s"]) == (None, None)
    assert found.evidence.warnings[-2:] == (
        "line 2: no value of a known form: real_time_s: '1:75.00'",
        "line 3: no value of a known form: cpu_s: '0.02 fortnights'",
    )


def test_a_timestamp_of_another_locale_is_kept_as_text_only(tmp_path):
    text = FULL.replace("09/04/2026 08:01:04 AM", "04.09.2026 08:01:04")
    found = read(tmp_path, text)
    (row,) = found.steps.frame.to_dicts()
    assert (row["timestamp"], row["start"], row["time_source"]) == (None, None, None)
    assert row["timestamp_text"] == "04.09.2026 08:01:04"
    assert "timestamp: '04.09.2026 08:01:04'" in found.evidence.warnings[0]


def test_lines_of_a_block_without_a_column_are_kept(tmp_path):
    extra = "      Semaphores    exclusive 194 shared 9 contended 0\n"
    (row,) = read(
        tmp_path, FULL.replace("      Page Faults", f"{extra}      Page Faults")
    ).steps.frame.to_dicts()
    assert row["other"] == "Semaphores    exclusive 194 shared 9 contended 0"
    assert row["block_output_operations"] == 1032


def test_views_are_no_steps(tmp_path):
    view = STIMER.replace("PROCEDURE SORT", "View WORK.A.VIEW")
    found = read(tmp_path, view + STIMER)
    assert len(found.steps) == 1
    assert found.other_blocks.frame["what"].to_list() == ["View WORK.A.VIEW"]


def test_time_of_a_cas_server_belongs_to_the_step_that_follows(tmp_path):
    text = Log([Step(), Step("CASUTIL", cas_ms=62_441), Step()]).text()
    frame = read(tmp_path, text).steps.frame
    assert frame["cas_server_time_s"].to_list() == [None, 62.441, None]
    assert frame["cas_requests"].to_list() == [None, 1, None]


def test_errors_and_warnings_with_their_lines(tmp_path):
    text = (
        "1    data a;\n"
        "ERROR 22-322: Syntax error, expecting one of the following: ;,\n"
        "              (, DATA.\n"
        "WARNING: The data set WORK.A may be incomplete.  When this step\n"
        "         was stopped there were 0 observations.\n"
        "NOTE: The SAS System stopped processing this step because of errors.\n"
        f"{STIMER}\n"
        "ERROR: File WORK.B.DATA does not exist.\n"
        "ERROR- See the note above.\n"
        "ERROR: Errors printed on pages 7,9.\n"
    )
    found = read(tmp_path, text)
    rows = [
        (row["step"], row["line"], row["level"], row["code"], row["text"])
        for row in found.messages.frame.to_dicts()
    ]
    assert rows == [
        (1, 2, "ERROR", "22-322", "Syntax error, expecting one of the following: ;, (, DATA."),
        (1, 4, "WARNING", None, "The data set WORK.A may be incomplete.  When this step was "
         "stopped there were 0 observations."),
        (None, 12, "ERROR", None, "File WORK.B.DATA does not exist. See the note above."),
    ]  # fmt: skip
    (row,) = found.steps.frame.to_dicts()
    assert (row["errors"], row["stopped"]) == (1, True)


def test_notes_on_data_sets(tmp_path):
    text = (
        "NOTE: There were 22233093 observations read from the data set WORK.X.\n"
        "      WHERE a > 1;\n"
        "NOTE: There were 19 observations read from the data set \n"
        "      SASHELP.CLASS.\n"
        "NOTE: The data set MY.'a b'n has 5 observations and 2 variables.\n"
        "NOTE: Table WORK.T created, with 3 rows and 4 columns.\n"
        "NOTE: 12 records were read from the infile '/data/x.csv'.\n"
        "      The minimum record length was 14.\n"
        "NOTE: No observations in data set WORK.E.\n"
        "NOTE: 7 rows were inserted into WORK.T.\n"
        f"{STIMER}"
    )
    rows = [
        (row["role"], row["kind"], row["name"], row["observations"], row["variables"], row["step"])
        for row in read(tmp_path, text).datasets.frame.to_dicts()
    ]
    assert rows == [
        ("read", "data set", "WORK.X", 22233093, None, 1),
        ("read", "data set", "SASHELP.CLASS", 19, None, 1),
        ("written", "data set", "MY.'A B'N", 5, 2, 1),
        ("written", "table", "WORK.T", 3, 4, 1),
        ("read", "infile", "'/data/x.csv'", 12, None, 1),
        ("read", "data set", "WORK.E", 0, None, 1),
        ("inserted", "table", "WORK.T", 7, None, 1),
    ]


def test_sgplot_says_what_it_read_behind_its_block(tmp_path):
    read_note = "NOTE: There were 19 observations read from the data set SASHELP.CLASS.\n"
    text = STIMER.replace("SORT", "SGPLOT") + read_note + "\n" + STIMER
    assert read(tmp_path, text).datasets.frame["step"].to_list() == [1]


def test_a_prefix_of_the_caller_s(tmp_path):
    layout = "2008-06-25-10:24:22,234; WARN; 3; Logger; (yn14.sas.c:149); "
    text = "".join(layout + line + "\n" for line in STIMER.splitlines())
    found = read(tmp_path, text, prefix=r"(?P<time>[\d-]+:\d\d:\d\d,\d+); \w+; \d+; \w+; \(.*?\); ")
    (row,) = found.steps.frame.to_dicts()
    assert str(row["timestamp"]) == "2008-06-25 10:24:22.234000"
    assert row["real_time_s"] == 63.5


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prefix": "("}, UsageError, "prefix: not a regular expression"),
        ({"prefix": "^[^ ]+ # "}, ParseError, "the prefix given stands before 0 of"),
        ({"encoding": "klingon"}, UsageError, "no encoding 'klingon'"),
        ({"languages": ["Germn"]}, UsageError, "no language 'Germn'; did you mean 'German'"),
    ],
)
def test_options_that_do_not_fit(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        read(tmp_path, STIMER, **options)


def test_a_language_of_the_caller_s(tmp_path):
    dutch = Language(
        "Dutch", {"werkelijke tijd": "real_time_s", "cpu-tijd": "cpu_s"},
        data=r"DATA-instructie gebruikte .*:", proc=r"PROCEDURE (?P<name>\S+) gebruikte .*:",
        seconds=("seconden",),
    )  # fmt: skip
    text = (
        "NOTE: PROCEDURE sort gebruikte (totale verwerkingstijd):\n"
        "      werkelijke tijd     0,35 seconden\n      cpu-tijd            0,05 seconden\n"
    )
    found = read(tmp_path, text, languages=[dutch])
    (row,) = found.steps.frame.to_dicts()
    assert (row["name"], row["real_time_s"], row["cpu_s"]) == ("SORT", 0.35, 0.05)
    assert found.evidence.unverified
    assert found.sessions.frame["language"].to_list() == ["Dutch"]


def test_of_the_languages_only_english_was_met_in_real_logs():
    assert [name for name, language in LANGUAGES.items() if language.verified] == ["English"]


def test_a_label_of_no_column_is_refused():
    with pytest.raises(UsageError, match="no column 'reel_time_s'; did you mean 'real_time_s'"):
        Language("X", {"tijd": "reel_time_s"})


@pytest.mark.parametrize("piece", [1, 7, 100_000])
def test_in_batches_or_at_once_it_is_the_same(tmp_path, monkeypatch, piece):
    """However the file falls into pieces and batches; numbers, lines and steps stay."""
    path = tmp_path / "x.log"
    log = Log([Step(name, read=(("WORK.A", 3),), source=("x" * 60,) * 40, messages=("WARNING: w",))
               for name in ("DATA", "SORT", "SQL")] * 40, page_lines=50)  # fmt: skip
    path.write_bytes(log.data())
    whole = read_sas(path)
    monkeypatch.setattr("perfkit.sources.sas.read.PIECE", 70_000 + piece)
    monkeypatch.setattr("perfkit.sources.sas.scan.MARGIN", 4096)
    folder = tmp_path / "out"
    evidence = sas_to_parquet(path, folder, batch=5)
    import polars as pl

    assert evidence == whole.evidence
    for name, table in whole.items():
        assert pl.read_parquet(folder / f"{name}.parquet").equals(table.frame), name
    assert len(list(scan_sas(path, batch=5))) > 2


def test_a_line_longer_than_any_of_a_log_is_an_error(tmp_path, monkeypatch):
    """More than 64 MiB, the line end counted; here 100,000 bytes."""
    monkeypatch.setattr("perfkit.sources.sas.scan._LONGEST_LINE", 100_000)
    assert len(read(tmp_path, STIMER + "x" * 99_999).steps) == 1
    with pytest.raises(ParseError, match="a line of more than 64 MiB: not a log"):
        read(tmp_path, STIMER + "x" * 100_000)


def test_parquet_of_one_table_and_nothing_left_of_a_failure(tmp_path):
    import polars as pl

    path = tmp_path / "x.log"
    path.write_text(STIMER)
    sas_to_parquet(path, tmp_path / "steps.parquet")
    assert pl.read_parquet(tmp_path / "steps.parquet")["real_time_s"].to_list() == [63.5]
    with pytest.raises(UsageError, match="no table 'step'; did you mean 'steps'"):
        sas_to_parquet(path, tmp_path / "y.parquet", table="step")
    path.write_bytes(gzip.compress(STIMER.encode())[:-5])
    with pytest.raises(ParseError):
        sas_to_parquet(path, tmp_path / "y.parquet")
    assert {item.name for item in tmp_path.iterdir()} == {"x.log", "steps.parquet"}


def test_a_copy_in_comments_and_padded_with_blanks(tmp_path):
    """Logs that were pasted into programs: each line a comment, or padded to one width."""
    whole = read(tmp_path, FULL).steps.frame.drop("line")
    comments = "".join(f"/*  {line:<90} */\n" for line in FULL.splitlines())
    padded = "".join(f"    {line:<110}  \n" for line in FULL.splitlines())
    for text in (comments, padded):
        assert read(tmp_path, text).steps.frame.drop("line").equals(whole)


def test_a_log_saved_as_a_page(tmp_path):
    """Tags and entities are taken out; the program's own < and > stay."""
    import html

    whole = read(tmp_path, FULL).steps.frame.drop("line")
    body = "".join(
        f'<div class="sasNote">{html.escape(line)}</div>' if line.startswith("NOTE")
        else f"{html.escape(line)}<br>\n"
        for line in f"1   data a; if x<y and z>1;\n{FULL}".splitlines()
    )  # fmt: skip
    page = f"<!DOCTYPE html>\n<html><head><style>NOTE: x</style></head><body><pre>\n{body}</pre></body></html>"
    found = read(tmp_path, page)
    assert found.steps.frame.drop("line").equals(whole)
    assert found.evidence.warnings == (
        "a log saved as a page: lines are those of its text, not of the file",
    )


@pytest.mark.parametrize("printed", ["-0.01 seconds", "1,234 seconds", "1:02:03:04.5", "47 ms"])
def test_a_time_of_no_known_form_is_null_and_told(tmp_path, printed):
    """A minus sign is not a dash that stands apart; 1,234 may be a thousand seconds or one."""
    found = read(tmp_path, STIMER.replace("1:03.50 seconds", printed))
    (row,) = found.steps.frame.to_dicts()
    assert (row["real_time_s"], row["cpu_s"], row["form"]) == (None, 0.02, "stimer")
    assert found.evidence.warnings == (
        f"line 2: no value of a known form: real_time_s: {printed!r}",
    )


def test_a_size_with_a_comma_before_three_digits_is_null_and_told(tmp_path):
    assert read(tmp_path, FULL).steps.frame["memory_bytes"][0] is not None
    printed = next(line for line in FULL.splitlines() if line.strip().startswith("memory"))
    found = read(tmp_path, FULL.replace(printed, "      memory              10,610k"))
    assert found.steps.frame["memory_bytes"].to_list() == [None]
    assert "memory_bytes: '10,610k'" in found.evidence.warnings[0]


def test_a_data_set_changed_in_place_counts_what_was_changed(tmp_path):
    """MODIFY prints three counts; those that are 0 say nothing."""
    note = (
        "NOTE: The data set WORK.A has been updated.  There were {} observations rewritten, {} "
        "observations added and {} observations deleted.\n"
    )
    found = read(tmp_path, "".join(note.format(*n) for n in ((3, 2, 0), (0, 0, 1), (0, 0, 0))))
    rows = found.datasets.frame.select("line", "role", "observations").rows()
    assert rows == [(1, "updated", 3), (1, "inserted", 2), (2, "deleted", 1), (3, "updated", 0)]


@pytest.mark.parametrize(
    ("note", "name", "count"),
    [
        ('Data set "W.a" has 1.600.000.000 observation(s) and 2 variable(s)', "W.A", 1_600_000_000),
        ('Data set "W.a" has 1.600 observation(s) and 2 variable(s)', "W.A", None),
        ('Data set "W.a" has an unknown number of observation(s) and 2 variable(s)', "W.A", None),
        ('10957 observation(s) were read from "W.a"', "W.A", 10957),
        ("从以下数据集读取了 428 个观测: SASHELP.CARS.", "SASHELP.CARS", 428),
        ("The data set WORK.A has . observations and 2 variables.", "WORK.A", None),
    ],
)
def test_a_count_that_is_none_is_null_and_its_note_stays(tmp_path, note, name, count):
    (row,) = read(tmp_path, f"NOTE: {note}\n").datasets.frame.rows(named=True)
    assert (row["name"], row["observations"]) == (name, count)


def test_bytes_that_a_program_put_into_its_log_are_no_reason_to_refuse_it(tmp_path):
    """SAS run on a workbook echoes its bytes: the steps before and behind are there."""
    text = "NOTE: SAS initialization used:\n      real time           0.40 seconds\n\n"
    binary = b"1          PK\x03\x04\x00\x00\n"
    found = read(tmp_path, text.encode() + binary + FULL.encode())
    assert len(found.steps) == 1


@pytest.mark.parametrize(("blanks", "cpu_s"), [(11, 0.02), (12, None)])
def test_a_block_goes_on_behind_a_page_header_less_than_a_dozen_blank_lines_below(
    tmp_path, blanks, cpu_s
):
    real, cpu = (
        "      real time           1.50 seconds\n",
        "      cpu time            0.02 seconds\n",
    )
    header = "2                    The SAS System           08:00 Monday, March 16, 2026\n"
    found = read(tmp_path, HEAD + real + "\n" * blanks + header + cpu)
    assert found.steps.frame.select("real_time_s", "cpu_s").rows() == [(1.5, cpu_s)]


def test_a_second_initialization_begins_another_session(tmp_path):
    text = "NOTE: SAS initialization used:\n      real time           {} seconds\n\n"
    sessions = read(tmp_path, text.format("0.40") + text.format("0.50") + STIMER).sessions.frame
    assert sessions["initialization_real_time_s"].to_list() == [0.4, 0.5]


def test_a_latex_log_that_quotes_a_sas_log_is_none():
    quoted = "[]\\OT1/cmtt/m/n/10.95 NOTE: The data set WORK.A has 5 observations and 1 v\n"
    assert not is_sas_log(f"This is pdfTeX\nOverfull \\hbox\n{quoted}")


def test_a_copy_that_is_indented_does_not_run_on_into_the_next_source_line(tmp_path):
    """What continues a message is indented by three more than the message itself."""
    text = "    ERROR: Data set not found\n           in WORK\n    48        x = 1;\n"
    (row,) = read(tmp_path, text).messages.frame.rows(named=True)
    assert row["text"] == "Data set not found in WORK"


@pytest.mark.parametrize(
    ("lines", "form"),
    [
        ("real time : 1.15\n      cpu time  : 0.02", "slc"),
        ("real time : 1.15 seconds\n      user cpu time : 0.04 seconds", "fullstimer"),
        ("real time           1.15 seconds\n      cpu time            0.02 seconds", "stimer"),
        ("real time           1.15 seconds\n      system cpu time     0.02 seconds", "fullstimer"),
        ("real time           1.15 seconds\n      EXCP count          12", "z/OS fullstats"),
    ],
)
def test_the_form_of_a_block_is_told_by_its_labels_and_signs(tmp_path, lines, form):
    (row,) = read(tmp_path, f"{HEAD}      {lines}\n").steps.frame.to_dicts()
    assert (row["form"], row["real_time_s"]) == (form, 1.15)


def test_a_message_does_not_go_on_over_the_lines_of_a_block(tmp_path):
    text = f"WARNING: odd things\n   happened\n      real time           9.99 seconds\n{STIMER}"
    (row,) = read(tmp_path, text).messages.frame.to_dicts()
    assert (row["level"], row["text"]) == ("WARNING", "odd things happened")


@pytest.mark.parametrize(
    ("header", "time"),
    [("14:10 Monday, November 27, 2006", datetime(2006, 11, 27, 14, 10)),
     ("2:10:05 PM Friday, May 1, 2026", datetime(2026, 5, 1, 14, 10, 5)),
     ("12:00 AM Friday, May 1, 2026", datetime(2026, 5, 1)),
     ("14:10 Monday, Smarch 13, 2006", None), ("14:10 Monday, November 31, 2006", None),
     ("14:10 Monday", None)],
)  # fmt: skip
def test_the_time_in_a_page_header(header, time):
    """No time is made of a month or a day that there is not."""
    assert header_time(header) == time


@pytest.mark.parametrize(
    ("licensed", "site_name", "site"),
    [
        ("Licensed to A SAMPLE SITE, Site 12345678.", "A SAMPLE SITE", "12345678"),
        ("Licensed to A Sample User", "A Sample User", None),
        ("Licensed to A Sample Ltd.", "A Sample Ltd", None),
        ("Licensed to Site 7.", None, "7"),
    ],
)
def test_who_a_banner_says_it_is_licensed_to(tmp_path, licensed, site_name, site):
    banner = f"NOTE: SAS (r) Proprietary Software 9.4 (TS1M6)\n      {licensed}\n\n"
    (row,) = read(tmp_path, banner + STIMER).sessions.frame.to_dicts()
    assert (row["release"], row["maintenance"]) == ("9.4", "TS1M6")
    assert (row["site_name"], row["site"]) == (site_name, site)


def test_a_warning_in_the_words_of_a_note_is_a_warning(tmp_path):
    words = "There were 19 observations read from the data set SASHELP.CLASS."
    found = read(tmp_path, f"WARNING: {words}\n{STIMER}")
    assert found.messages.frame.select("level", "text").rows() == [("WARNING", words)]
    assert found.datasets.frame.is_empty()


@pytest.mark.parametrize(
    ("behind", "table"),
    [
        ("", "steps"), ("ERROR: File WORK.X.DATA does not exist.\n", "messages"),
        ("NOTE: There were 19 observations read from the data set SASHELP.CLASS.\n", "datasets"),
    ],
)  # fmt: skip
def test_what_stands_behind_the_end_of_a_session_is_of_the_next_one(tmp_path, behind, table):
    found = read(tmp_path, Log([Step()]).text() + behind + STIMER)
    assert found.sessions.frame["session"].to_list() == [1, 2]
    assert found.steps.frame["session"].to_list() == [1, 2]
    assert found.steps.frame["stopped"].to_list() == [False, False]
    assert found[table].frame["session"].to_list()[-1] == 2
    assert found[table].frame.filter(session=2).height == 1


def test_steps_of_a_remote_session_are_told_once(tmp_path):
    submit = "NOTE: Remote submit to HOST commencing.\n"
    found = read(tmp_path, f"{STIMER}{submit}{STIMER}{submit}")
    assert found.evidence.warnings == (
        "line 5: SAS/CONNECT: steps of a remote session stand among those of this one, and their "
        "times may overlap",
    )
    assert len(found.steps) == 2
