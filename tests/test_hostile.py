"""Names in evidence that try to be more than names: shown as they are, they steer nothing.

Each place where evidence or a study names something gets every hostile name; each output is read
back: the terminal, CSV, Excel, JSON, the notebook, PDF and HTML, the list of scheduled reports.
"""

from __future__ import annotations

import contextlib
import copy
import csv
import dataclasses
import io
import itertools
import json
import re
import zipfile

import pytest
from forges import awr, ontap_qos
from forges.sas import Log, Step
from hostile import HOSTILE, OF_TERMINALS, STEERING, check_page, shown, squeezed, words_of
from places import ROOT

from perfkit.cli.app import run
from perfkit.core.plain_text import plain, plain_lines

DATA = ROOT / "tests/data"
HARMLESS = "Rowan"


# places: each writes evidence in which one thing has the name


def fio_job(folder, name):
    record = json.loads((DATA / "fio/randread_libaio_qd16.json").read_text())
    record["jobs"][0]["jobname"] = name
    (folder / "fio.json").write_text(json.dumps(record))
    return folder / "fio.json"


def fio_option(folder, name):
    record = json.loads((DATA / "fio/randread_libaio_qd16.json").read_text())
    record["jobs"][0].setdefault("job options", {})["description"] = name
    (folder / "fio.json").write_text(json.dumps(record))
    return folder / "fio.json"


def fio_device(folder, name):
    record = json.loads((DATA / "fio/randread_libaio_qd16.json").read_text())
    record["disk_util"][0]["name"] = name
    (folder / "fio.json").write_text(json.dumps(record))
    return folder / "fio.json"


def fio_host(folder, name):
    text = (DATA / "fio/client-server/two_clients_jsonplus.stdout").read_text()
    record = json.loads(text[text.index("{") :])
    record["client_stats"][0]["hostname"] = name
    (folder / "fio.json").write_text(json.dumps(record))
    return folder / "fio.json"


def elbencho_label(folder, name):
    record = json.loads((DATA / "elbencho/rwmix75.json").read_text().splitlines()[0])
    record["config"]["label"] = name
    (folder / "elbencho.json").write_text(json.dumps(record) + "\n")
    return folder / "elbencho.json"


def file_name(folder, name):
    sample = (DATA / "fio/randread_libaio_qd16.json").read_bytes()
    path = folder / f"{in_a_path(name)}.json"
    path.write_bytes(sample)
    return path


def named_sql(content, name):
    return {"sql": (dataclasses.replace(content.sql[0], text=name), *content.sql[1:])}


def named_module(content, name):
    return {"sql": (dataclasses.replace(content.sql[0], module=name), *content.sql[1:])}


def named_event(content, name):
    first = dataclasses.replace(content.foreground[0], event=name)
    return {"foreground": (first, *content.foreground[1:])}


def named_parameter(content, name):
    first = (content.parameters[0][0], name, *content.parameters[0][2:])
    return {"parameters": (first, *content.parameters[1:])}


def named_host(_, name):
    return {"host": name}


def in_awr(change):
    def write(folder, name):
        content = awr.sample(4819)
        one = content.instances[0]
        changed = dataclasses.replace(one, **change(one, name))
        made = awr.forge(dataclasses.replace(content, instances=(changed,)), "html-19c")
        path = folder / "awr.html"
        path.write_bytes(made.data)
        return path

    return write


def sas_text(folder, name):
    log = Log([Step(name="SORT", read=(("WORK.ROWAN", 19),), written=(("WORK.R2", 19, 3),))])
    path = folder / "sas.log"
    path.write_bytes(log.text().replace("WORK.ROWAN", name).encode())
    return path


def sas_step(folder, name):
    path = folder / "sas.log"
    path.write_bytes(Log([Step(name="SORT")]).text().replace("SORT", name).encode())
    return path


def iostat_device(folder, name):
    text = (DATA / "host/iostat-11.6.1-x.json").read_text()
    known = re.search(r'"disk_device": "(\w+)"', text)[1]
    path = folder / "iostat.json"
    path.write_text(text.replace(json.dumps(known), json.dumps(name)))
    return path


def ontap_policy(folder, name):
    path = folder / "policies.txt"
    path.write_text(ontap_qos.policies_text().replace("performance", name), newline="")
    return path


PLACES = {
    "a job of fio": fio_job,
    "an option of fio": fio_option,
    "a device of fio": fio_device,
    "a host of fio": fio_host,
    "a label of elbencho": elbencho_label,
    "a file": file_name,
    "an SQL text": in_awr(named_sql),
    "a module": in_awr(named_module),
    "an event": in_awr(named_event),
    "a parameter's value": in_awr(named_parameter),
    "a host of Oracle": in_awr(named_host),
    "a data set of SAS": sas_text,
    "a step of SAS": sas_step,
    "a device of iostat": iostat_device,
    "a policy of ONTAP": ontap_policy,
}


def call(*words):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["read", *map(str, words)])
    return code, out.getvalue(), err.getvalue()


@pytest.mark.parametrize("place", PLACES)
def test_the_place_is_one_that_is_read(place, tmp_path):
    """What the tests below put there does come out."""
    path = PLACES[place](tmp_path, HARMLESS)
    code, out, _ = call(path, "--format", "json")
    assert (code, HARMLESS.upper() in out.upper()) == (0, True)


@pytest.mark.parametrize("place", PLACES)
def test_a_name_steers_no_terminal(place, tmp_path):
    """It is read, or refused in one line: neither holds more of it than letters."""
    for number, kind in enumerate(OF_TERMINALS):
        folder = tmp_path / str(number)
        folder.mkdir()
        code, out, err = call(PLACES[place](folder, HOSTILE[kind]))
        assert set(STEERING.findall(out + err)) == set()
        assert code == 0 or (code, err.count("\n"), err[:7]) == (1, 1, "error: ")


def test_the_brackets_of_a_name_are_no_markup(tmp_path):
    out = call(fio_job(tmp_path, HOSTILE["rich"]))[1]
    assert squeezed(HOSTILE["rich"])[:20] in squeezed(out)


@pytest.fixture
def all_names(tmp_path):
    """A result of fio with a job of each hostile name."""
    record = json.loads((DATA / "fio/randread_libaio_qd16.json").read_text())
    (job,) = record["jobs"]
    record["jobs"] = [
        copy.deepcopy(job) | {"jobname": name, "groupid": number}
        for number, name in enumerate(HOSTILE.values())
    ]
    path = tmp_path / "fio.json"
    path.write_text(json.dumps(record))
    return path


def test_json_has_the_names_of_the_evidence(all_names):
    """What is shown is made harmless; what is read is not changed."""
    rows = json.loads(call(all_names, "-f", "json")[1])["tables"]["load_points"]
    assert {row["workload"] for row in rows} == set(HOSTILE.values())


def test_csv_holds_no_formula(all_names, tmp_path):
    assert call(all_names, "-o", tmp_path / "out", "-f", "csv")[0] == 0
    files = list((tmp_path / "out").glob("*.csv"))
    assert files
    for file in files:
        check_csv(file)
    with (tmp_path / "out/load_points.csv").open(newline="", encoding="utf-8") as file:
        names = {row["workload"] for row in csv.DictReader(file)}
    formulas = {name for name in HOSTILE.values() if name[0] in "=+-@"}
    assert names == {*(set(HOSTILE.values()) - formulas), *(f"'{name}" for name in formulas)}


def test_a_workbook_holds_no_formula_and_no_link(all_names, tmp_path):
    assert call(all_names, "-o", tmp_path / "out.xlsx")[0] == 0
    with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
        texts = {name: book.read(name).decode("utf-8", "replace") for name in book.namelist()}
    sheets = [text for name, text in texts.items() if name.startswith("xl/worksheets/sheet")]
    assert sheets
    assert not any("<f>" in text or "<hyperlink" in text for text in sheets)
    assert not any('TargetMode="External"' in text for text in texts.values())
    assert "=1+cmd|" in texts["xl/sharedStrings.xml"]


def check_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                begins = re.match(r"[=+@\t\r\n-]", cell) is not None
                number = re.fullmatch(r"[+-]?[\d.,]+([eE][+-]?\d+)?%?", cell) is not None
                assert not begins or number or len(cell) == 1, cell


def test_half_of_a_pair_is_refused_with_its_file(tmp_path):
    """JSON can escape one; no table, terminal or page can hold it."""
    code, _, err = call(fio_job(tmp_path, "a\ud800b"))
    assert code == 1
    assert err == (f"error: {tmp_path}/fio.json: a lone half of a Unicode pair in 'a\\ud800b'\n")


def test_csv_marks_formulas_and_leaves_numbers(tmp_path):
    import polars as pl

    from perfkit.cli.export import csv_text

    words = ["=A1", "+A1", "-A1", "@A1", "\tA1", "-5", "+1.5e-3", "-", "a=b", "", None]
    frame = pl.DataFrame({"word": words, "number": [-1.5] * len(words)})
    cells = list(csv.reader(io.StringIO(csv_text(frame))))
    assert [row[0] for row in cells[1:]] == [
        "'=A1", "'+A1", "'-A1", "'@A1", "'\tA1", "-5", "+1.5e-3", "-", "a=b", "", "",
    ]  # fmt: skip
    assert {row[1] for row in cells[1:]} == {"-1.5"}


def test_plain_text_leaves_what_steers_nothing():
    assert plain("Åsa, µs, 日本, שלום, a\u00a0b, 🙂") == "Åsa, µs, 日本, שלום, a\u00a0b, 🙂"
    assert plain("a\r\n\tb") == "a b"
    assert plain("12\u202e34") == "12·34"
    assert plain_lines("a\n\tb\x1b") == "a\n\tb·"


# reports: every name at once, in the evidence and in the study


def fio_study(folder):
    """Two loads of a workload for each name, in parts whose charts fit on a page."""
    record = json.loads((DATA / "fio/randread_libaio_qd16.json").read_text())
    for number, name in enumerate(HOSTILE.values()):
        for depth in (4, 16):
            record["jobs"][0]["jobname"] = name
            place = folder / f"{number // 7}"
            place.mkdir(exist_ok=True)
            (place / f"{number:02}_qd{depth}.json").write_text(json.dumps(record))
    return "parts:\n" + "".join(
        f"  - name: part-{number}\n    title: Part {number}\n    notebook: fio_results\n"
        f"    evidence:\n      - files: '{number}/*.json'\n        kind: fio\n"
        "        labels: {system: SYSTEM}\n        load: {kind: iodepth, name: 'qd(\\d+)'}\n"
        for number in range(len(HOSTILE) // 7)
    )


def awr_study(folder):
    """Events, statements, modules and parameters of one report."""
    names = list(HOSTILE.values())
    content = awr.sample(4819)
    one = content.instances[0]
    changed = dataclasses.replace(
        one,
        host=names[0],
        foreground=renamed(one.foreground, names, "event"),
        sql=renamed(renamed(one.sql, names, "text"), names[::-1], "module"),
        parameters=tuple(
            (own[0], name, *own[2:]) for own, name in zip(one.parameters, names, strict=False)
        ),
    )
    made = awr.forge(dataclasses.replace(content, instances=(changed,)), "html-19c")
    (folder / "awr.html").write_bytes(made.data)
    return "evidence:\n  - files: awr.html\n    labels: {system: SYSTEM}\nnotebook: oracle\n"


def renamed(rows, names, field):
    """The rows, as many as there are names with another name each."""
    first = [dataclasses.replace(row, **{field: name})
             for row, name in zip(rows, names, strict=False)]  # fmt: skip
    return (*first, *rows[len(first) :])


def sas_study(folder):
    """The jobs of a workload, which their files name, and the data sets in their logs."""
    for system, (number, name) in itertools.product("ab", enumerate(HOSTILE.values())):
        # a log with control characters is refused: it is a binary file
        read = "WORK.A" if STEERING.search(name) else " ".join(name.split())[:100]
        step = Step(name="SORT", read=((read, 19),), real_ms=2000 + 10 * number)
        path = folder / system / "run-1" / f"{in_a_path(name)}_s{number}_.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(Log([step]).text().encode())
    tests = json.dumps([in_a_path(name) for name in HOSTILE.values()])
    return (
        "evidence:\n  - {files: '[ab]/run-*/*.log', kind: sas}\n"
        "jobs:\n  time_zone: UTC\n"
        "  path: '(?s)(?P<system>[ab])/run-(?P<repeat>1)/(?P<test>[^/]+)_s(?P<stream>\\d+)_'\n"
        "  systems: {a: SYSTEM, b: B}\n"
        f"  classes: {{computation: {tests}}}\n"
        "notebook: sas_workload\n"
    )


def in_a_path(name):
    return name.replace("/", "_").replace("\0", "_")[:100]


FRONT = {
    "title": "a script", "subtitle": "a terminal", "number": "a place of a template",
    "copyright": "the end of a script",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("study", [fio_study, awr_study, sas_study])
def test_a_report_shows_names_and_obeys_none(study, tmp_path):
    body = study(tmp_path).replace("SYSTEM", json.dumps(HOSTILE["Typst"]))
    front = "".join(f"  {key}: {json.dumps(HOSTILE[kind])}\n" for key, kind in FRONT.items())
    people = json.dumps([HOSTILE["a handler"], HOSTILE["a direction"], HOSTILE["Markdown"]])
    study_file = tmp_path / "study.yml"
    study_file.write_text(f"format: 1\nreport:\n{front}  authors: {people}\n{body}")
    assert run(["report", str(tmp_path), "-o", str(tmp_path / "out")]) == 0
    (page,) = (tmp_path / "out").glob("*.html")
    check_page(page.read_text(), scripts=3)
    words = squeezed(words_of(page.read_text()))
    assert set(STEERING.findall(words)) == set()
    names = [shown(name)[:40] for kind, name in HOSTILE.items() if kind != "blanks"]
    read = [name for name in names if name in words]
    assert len(read) >= 9
    (printed,) = (tmp_path / "out").glob("*.pdf")
    check_pdf(printed, read)
    (notebook,) = (tmp_path / "out").glob("*.ipynb")
    check_notebook(json.loads(notebook.read_text()))


def check_pdf(path, names):
    """The same names as on the page, and nothing that a reader would run or open."""
    from pypdf import PdfReader

    pages = PdfReader(path).pages
    text = squeezed("".join(page.extract_text() for page in pages))
    assert [name for name in names if name not in text] == []
    for page in pages:
        for link in page.get("/Annots") or ():
            action = link.get_object().get("/A", {})
            assert action.get("/S") in {None, "/GoTo"}, action


def check_notebook(notebook):
    """What JupyterLab shows of the outputs: tables without more elements, words that are words."""
    from markdown_it import MarkdownIt

    from perfkit.core.values import MIME, PLOTLY_MIME, WORDS_MIME

    words = {MIME["statement"], WORDS_MIME}
    seen = 0
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            texts = {kind: "".join(text) for kind, text in data.items() if kind.startswith("text/")}
            assert not any(STEERING.search(text) for text in texts.values())
            check_page(texts.get("text/html", ""))
            check_chart(data.get(PLOTLY_MIME))
            if words & set(data):
                seen += 1
                tokens = MarkdownIt("commonmark").parse(texts["text/markdown"])
                inner = [child.type for token in tokens for child in token.children or ()]
                assert {token.type for token in tokens} == {
                    "paragraph_open", "inline", "paragraph_close",
                }  # fmt: skip
                assert set(inner) <= {"text", "text_special"}
    assert seen


OWN_TAGS = re.compile(r"</?(b|i|br|sub|sup|span|extra)( style=\"[^\"<>]*\")?>")


def check_chart(chart):
    """Its labels have no more tags, links or places of values than perfkit writes."""
    for text in texts_of(chart):
        assert not STEERING.search(text)
        assert "<" not in OWN_TAGS.sub("", text)
        assert "%{y}&lt;/a" not in text


def texts_of(data):
    """Every text in data of JSON."""
    match data:
        case str():
            yield data
        case dict():
            for value in data.values():
                yield from texts_of(value)
        case list():
            for value in data:
                yield from texts_of(value)
