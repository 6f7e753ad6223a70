"""A source says everything about itself: the rooms above know no tool by name."""

from __future__ import annotations

import ast
from typing import get_args

import pytest
from places import ROOT

from perfkit.core.evidence import OriginKind
from perfkit.core.schema import KEYS
from perfkit.sources import SOURCES

PACKAGE = ROOT / "perfkit"
TOOLS = {path.parent.name for path in (PACKAGE / "sources").glob("*/source.py")}
# a host is a label of every source, and "printed" an origin of any evidence
NAMES = {*SOURCES, *TOOLS} - {*KEYS, *get_args(OriginKind)}
MARKERS = {name for source in SOURCES.values() for name in source.markers}
ROOMS = ("study", "reporting", "exploring", "scheduling", "cli")
ALLOWED = {
    # the load generators that perfkit starts: what measures, not what reads
    "cli/doctor.py": {"fio", "elbencho"},
    "cli/hosts.py": {"fio"},
    # the audit is of tables copied from documents, and of nothing else
    "cli/audit.py": {"perfkit.sources.printed.read", "perfkit.sources.printed.document.read"},
    "study/audit.py": {"perfkit.sources.printed.read"},
    # documents to be audited are of no tool, and no source declares how they are read
    "exploring/tracing.py": {"perfkit.sources.printed.document.read"},
    # the generators of 0.1, by the names that its studies gave them
    "study/migrations.py": {"ontap-qos"},
}
"""Names of tools that a module may say, and why."""


def spoken(tree: ast.AST) -> set[str]:
    """Strings that are the name of a kind, tool or marker, and modules of a tool's folder.

    The key of a record or a column, such as ``row["printed"]``, is not a kind.
    """
    columns = {
        id(node.slice if isinstance(node, ast.Subscript) else key)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript | ast.Dict)
        for key in (node.keys if isinstance(node, ast.Dict) else [None])
    }
    strings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if id(node) not in columns
    }
    modules = {
        node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module
    }
    readers = {name for name in modules if name.startswith("perfkit.sources.")}
    own = {"perfkit.sources.source"}
    return (strings & (NAMES | MARKERS)) | (readers - own)


def test_no_room_above_knows_a_tool_by_name():
    """What they want to know of a kind of evidence they ask its declaration."""
    found = {
        str(path.relative_to(PACKAGE)): spoken(ast.parse(path.read_text()))
        for room in ROOMS
        for path in (PACKAGE / room).rglob("*.py")
    }
    assert len(found) > 100
    assert {path: names for path, names in found.items() if names} == ALLOWED


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('NOTEBOOKS = {"x": "awr"}', {"awr"}),
        ('kind == "genio"', {"genio"}),
        ('(folder / "slob.conf").is_file()', {"slob.conf"}),
        ("from perfkit.sources.sas.read import read_sas", {"perfkit.sources.sas.read"}),
        ('row["printed"], {"printed": 1}', set()),
        ("from perfkit.sources import SOURCES", set()),
    ],
)
def test_what_counts_as_a_name(code, found):
    assert spoken(ast.parse(code)) == found


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_declaration_is_whole(source):
    """It is told by a sniffer or a marker, and its keys are of the table it names."""
    assert source.sniff or source.markers
    assert source.keys.row
    assert source.keys.series
    assert source.keys.sizes == tuple(
        name for name in source.keys.sizes if name in source.keys.series
    )
    assert set(source.keys.options) <= set(source.keys.series)
    if source.table:
        columns = {"source", *source.tables[source.table]}
        assert set(source.keys.row) <= columns
        assert not source.time or source.time in columns
    # what reads several files writes the file's name there: another meaning would be lost
    named = [columns["source"] for columns in source.tables.values() if "source" in columns]
    assert all(item.meaning.startswith("path of") for item in named)


def test_every_tool_of_a_folder_is_registered():
    """A folder with a declaration is in the list of tools, and the list has no other."""
    declared = {source.read.__module__.split(".")[2] for source in SOURCES.values()}
    assert declared == TOOLS


def test_tables_of_one_name_are_of_one_thing():
    """A study joins tables by name: AWR's memory and sar's memory once were one table."""
    of: dict[str, list[frozenset[str]]] = {}
    for source in SOURCES.values():
        for name, columns in source.tables.items():
            of.setdefault(name, []).append(frozenset(columns))
    apart = [
        name for name, given in of.items()
        if any(2 * len(one & given[0]) < min(len(one), len(given[0])) for one in given)
    ]  # fmt: skip
    assert apart == []


@pytest.mark.parametrize("source", SOURCES.values(), ids=lambda source: source.name)
def test_what_is_looked_at_first_is_of_its_own_tables(source):
    """Of a recording the devices and CPUs come first where it has them: no other tool's columns."""
    own = {name: source.tables.get(name, source.tables.get("*")) for name in source.leading}
    if not source.markers:  # a folder has the tables of the files in it, too
        assert [name for name, columns in own.items() if columns is None] == []
    for name, columns in own.items():
        assert columns is None or set(source.leading[name]) <= {*columns, "source", "load", "file"}


def test_of_a_host_s_recordings_those_columns_come_first_that_people_look_at():
    assert SOURCES["iostat"].first_columns("devices")[:2] != ()
    assert SOURCES["vmstat"].first_columns("devices") == ()
