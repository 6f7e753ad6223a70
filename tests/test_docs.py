"""What README, docs/ and --help say can be typed: commands and Python run as they stand."""

from __future__ import annotations

import ast
import inspect
import operator
import re
import runpy
import shutil

import pytest
import sandbox
from places import ROOT

import perfkit
from perfkit.cli.app import run
from perfkit.sources import SOURCES

README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]
HELP = "\n".join(
    "\n".join(re.findall(r"^ {8}(perfkit .*)$", path.read_text(), re.M))
    for path in sorted((ROOT / "perfkit/cli").glob("*.py"))
)
TEXTS = {page.name: "\n".join(sandbox.blocks(page, "sh")) for page in PAGES} | {"--help": HELP}
COMMANDS = [(name, words) for name, text in TEXTS.items() for words in sandbox.commands(text)]
MOST_LINES = 150


@pytest.fixture(scope="module")
def evidence_folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("docs") / "made"
    made.mkdir()
    sandbox.make(made)
    return made


@pytest.fixture
def folder(evidence_folder, tmp_path):
    """Evidence of our own under the names of the documentation, in a folder for each test."""
    return shutil.copytree(evidence_folder, tmp_path / "here")


@pytest.mark.parametrize("page", TEXTS)
def test_every_command_is_one(page):
    """Command, options and the number of arguments are those of the command line."""
    for words in sandbox.commands(TEXTS[page]):
        sandbox.parse(words)  # its error names the command


def is_run(words):
    typesets = words[0] == "trend" and "-o" in words
    slow = typesets or (words[:2] == ["study", "check"] and words[2:] == ["my-study"])
    return words[0] not in sandbox.ONLY_PARSED and not slow


@pytest.mark.slow
@pytest.mark.parametrize("page", TEXTS)
def test_commands_run_in_the_order_in_which_they_stand(page, folder, monkeypatch):
    """All but those that measure, reach other hosts, stay, or typeset."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    for words in sandbox.commands(TEXTS[page]):
        if is_run(words):
            wanted = 3 if words[:2] == ["audit", "data/studies/tr-4784"] else 0
            assert sandbox.call(words, folder) == wanted, words


@pytest.mark.slow
@pytest.mark.parametrize("evidence", ["awr/", "logs/", "results/", "genio/", "ranread/"])
def test_a_newcomers_report_is_made(evidence, folder):
    """The commands of the README that make a report of a folder; criteria may not be met."""
    words = ["report", evidence]
    assert ["README.md", words] in [list(item) for item in COMMANDS]
    assert sandbox.call(words, folder) in {0, 3}
    assert (folder / "reports" / evidence.strip("/") / f"{evidence.strip('/')}.pdf").is_file()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_runs_as_it_stands(page, folder, monkeypatch, tmp_path):
    """The blocks of a page, one after the other."""
    code = "\n".join(sandbox.blocks(page, "python"))
    if not code:
        pytest.skip("no Python on this page")
    monkeypatch.chdir(folder)
    (tmp_path / "page.py").write_text(code)
    runpy.run_path(str(tmp_path / "page.py"))


def calls_in(text):
    """Calls of pk in running text: `pk.say(pk.drift(...))`."""
    for code in re.findall(r"`(pk\.[\w.]+\([^`]*\))`", text.replace("\n", " ")):
        tree = ast.parse(code.replace("...", "*rest"))
        yield from (node for node in ast.walk(tree) if isinstance(node, ast.Call))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_name_and_call_in_the_text_is_one(page):
    """Names exist, and arguments are those that they take."""
    text = page.read_text(encoding="utf-8")
    for name in set(re.findall(r"\bpk\.([a-z_]+(?:\.[a-z_]+)?)\b", text)):
        operator.attrgetter(name)(perfkit)
    for node in calls_in(text):
        name = ast.unparse(node.func)
        if name.startswith("pk.") and not any(isinstance(arg, ast.Starred) for arg in node.args):
            function = operator.attrgetter(name.removeprefix("pk."))(perfkit)
            given = {item.arg: item.value for item in node.keywords}
            inspect.signature(function).bind_partial(*node.args, **given)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_the_readme_is_short():
    assert len(README.read_text().splitlines()) <= MOST_LINES


def test_every_page_is_linked_from_the_readme():
    text = README.read_text()
    assert [page.name for page in PAGES[1:] if f"docs/{page.name}" not in text] == []


def test_the_catalogue_is_what_the_schemas_say():
    """`make catalogue` writes it."""
    namespace = runpy.run_path(str(ROOT / "tools/catalogue.py"))
    assert (ROOT / "docs/catalogue.md").read_text(encoding="utf-8") == namespace["catalogue"]()


def test_every_kind_stands_in_the_table_of_what_is_read():
    """With its forms, and on what each was tried."""
    page = (ROOT / "docs/reading.md").read_text(encoding="utf-8")
    [table] = re.findall(r"^## What is read.*?\n\n(\|.*?)\n\n", page, re.M | re.S)
    assert [name for name in SOURCES if name.partition("-")[0] not in table.lower()] == []


def test_a_study_in_the_docs_is_one(folder, tmp_path):
    """The study of the page on studies is without a mistake in itself."""
    from perfkit.study.opening import open_study

    [text] = [
        block for block in sandbox.blocks(ROOT / "docs/reports-and-studies.md", "yaml")
        if block.startswith("format:")
    ]  # fmt: skip
    (tmp_path / "study.yml").write_text(text)
    assert open_study(tmp_path).model.notebook == "compare"


def test_help_names_every_command():
    """`perfkit --help` and each command's help have an example, which is run above."""
    assert run(["--help"]) == 0
    assert len(sandbox.commands(HELP)) > 25
