"""The house itself: what may import what, what the lock holds, and how light the front door is."""

from __future__ import annotations

import ast
import functools
import graphlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from places import ROOT
from ruamel.yaml import YAML

PACKAGE = ROOT / "perfkit"

# The layers from the bottom up. A module imports its own layer's package and those below.
LAYERS = [
    {"_version"},
    {"core"},
    {"formats"},
    {"sources", "measure"},
    {"analysis"},
    {"auditing"},
    {"showing"},
    {"study"},
    {"storing"},
    {"reporting"},
    {"exploring", "scheduling"},
    {"cli"},
    {"awr", "genio", "ontap", "sas", "trend"},
    {"__main__", "__init__"},
]
# These do not import each other: what they share lies below them.
APART = {"sources", "measure", "analysis"}


def layer_of(name: str) -> int:
    for number, names in enumerate(LAYERS):
        if name in names:
            return number
    raise AssertionError(f"perfkit.{name} has no place in the layers: add it to LAYERS")


def statements(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    """Statements at whatever depth; their expressions, most of a tree, are not walked."""
    for node in nodes:
        yield node
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, name, [])
            yield from statements(inner if isinstance(inner, list) else [])


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """The top-level parts of perfkit that a module imports, at whatever depth."""
    found: set[str] = set()
    for node in statements(ast.parse(path.read_text()).body):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "perfkit":
                names = [f"perfkit.{alias.name}" for alias in node.names]
            else:
                names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("perfkit.")}
    return frozenset(found)


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def strays(own: str, others: Iterable[str]) -> list[str]:
    """What a module of a layer imports of layers above it, or of one that it stays apart from."""
    return [
        other
        for other in others
        if other != own and (layer_of(other) > layer_of(own) or (own in APART and other in APART))
    ]


def test_imports_go_one_way():
    """No module imports from a layer above its own, and the three middle packages stay apart."""
    found = {}
    for path in modules():
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        found[str(path.relative_to(PACKAGE))] = strays(own, imports(path))
    assert len(found) > 500
    assert {path: others for path, others in found.items() if others} == {}


@pytest.mark.parametrize(
    ("own", "other", "goes"),
    [
        ("sources", "core", True),
        ("core", "sources", False),
        ("sources", "analysis", False),
        ("analysis", "measure", False),
        ("sources", "sources", True),
        ("exploring", "scheduling", True),
    ],
)
def test_an_import_of_a_layer_above_is_seen(own, other, goes):
    assert (strays(own, [other]) == []) is goes


# What the report is made from: values and the study they belong to. Of ``showing`` it takes the
# typeface and the room that text takes in it. What a storage tool, its files or its numbers mean,
# it is told by those.
FOR_REPORTS = {"_version", "core", "formats", "study"}
STORAGE = re.compile(
    r"(?i)\b(fio|elbencho|vdbench|genio|ranread|slob|awr|statspack|oracle|ontap|sas|iostat|iops|"
    r"latency|iodepth|load[ _]points?|sweeps?)\b"
)


def test_the_report_knows_no_storage():
    """It imports no source, measurement or analysis, and no line of it names any."""
    allowed = FOR_REPORTS | {"reporting", "showing", "perfkit.showing.style"}
    allowed |= {"perfkit.showing.text_size"}
    found = {}
    for path in (PACKAGE / "reporting").rglob("*.py"):
        text = path.read_text()
        named = {*re.findall(r"perfkit\.showing\S*", text), *STORAGE.findall(text)}
        found[str(path.relative_to(PACKAGE))] = (imports(path) | named) - allowed
    assert len(found) > 40
    assert {path: names for path, names in found.items() if names} == {}


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def outside_functions(nodes: list[ast.stmt]) -> list[ast.stmt]:
    """Statements of a module and of its blocks (``if TYPE_CHECKING``, ``try``, classes)."""
    found = []
    for node in nodes:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = [part for name in ("body", "orelse") for part in getattr(node, name, [])]
            found += [node, *outside_functions(inner)]
    return found


def imported_modules(source: str, known: set[str]) -> set[str]:
    """The modules of ``known`` that a module imports at module level, also for types alone."""
    found = set()
    for node in outside_functions(ast.parse(source).body):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            # a name of a module that is not a module itself
            found |= (names & known) | ({node.module} if names - known else set())
    return found & known


def circle(sources: dict[str, str]) -> list[str]:
    """Modules that import each other in a circle; none where there is no circle."""
    graph = {name: imported_modules(text, set(sources)) for name, text in sources.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as problem:
        return problem.args[1]
    return []


def test_what_is_taken_for_a_number_has_decimal_digits():
    """A superscript two is one to isdigit, and an error to int: the traceback of a report."""
    assert [path.name for path in modules() if ".isdigit(" in path.read_text()] == []


def test_no_modules_import_each_other_in_a_circle():
    """No circle at module level in the whole package, imports for types included."""
    assert circle({module_name(path): path.read_text() for path in modules()}) == []


@pytest.mark.parametrize(
    "back",
    [
        "import p.a",
        "from p import a",
        "from p.a import x",
        "if TYPE_CHECKING:\n    from p.a import x",
        "try:\n    import p.a\nexcept ImportError:\n    pass",
    ],
)
def test_a_circle_is_seen_however_it_is_written(back):
    assert set(circle({"p.a": "from p.b import y", "p.b": back})) == {"p.a", "p.b"}
    assert circle({"p.a": "from p.b import y", "p.b": "def late():\n    import p.a"}) == []


def test_help_imports_nothing_heavy():
    """`perfkit --help` imports no pandas, plotly, polars or notebook library."""
    heavy = {
        "pandas", "plotly", "polars", "nbformat", "papermill", "nbconvert", "great_expectations",
        "scipy", "pyarrow", "typst", "choreographer",
    }  # fmt: skip
    code = (
        "import sys; from perfkit.cli.app import run; run(['--help']); "
        "print('LOADED', *sorted({m.split('.')[0] for m in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.rpartition("LOADED")[2].split())
    assert not loaded & heavy
    assert "typer" in loaded


def pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def test_the_lock_names_no_address_and_every_package_has_hashes():
    """The lock holds names, versions and hashes: it installs from any index, only what it names."""
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert "--index-url" not in text
    blocks = re.findall(r"^([a-z0-9._-]+==[^\s;]+)(.*?)(?=^[a-z]|\Z)", text, re.M | re.S)
    assert len(blocks) > 100
    assert all("--hash=sha256:" in rest for _, rest in blocks)


def test_the_lock_holds_every_dependency():
    """What pyproject.toml asks for is in the lock."""
    project = pyproject()["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["dev"]
    locked = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text(), re.M))
    names = {re.split(r"[<>=\[]", item)[0] for item in asked}
    assert names <= locked


def test_the_conda_environment_installs_the_same_project():
    """environment.yml takes Python's range from pyproject.toml and leaves the rest to it."""
    environment = YAML(typ="safe").load((ROOT / "environment.yml").read_text())
    python = next(item for item in environment["dependencies"] if str(item).startswith("python"))
    assert python == f"python {pyproject()['project']['requires-python']}"
    assert environment["dependencies"][-1] == {"pip": ["-e .[dev]"]}
    assert environment["name"] == pyproject()["project"]["name"]


def test_notebooks_are_committed_without_outputs():
    """A committed notebook holds text, parameters and calls; outputs belong to a run."""
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        for cell in cells:
            assert not cell.get("outputs"), path
            assert cell.get("execution_count") is None, path


LONGEST_TEXT = 60
"""Longer than a caption or a reason, a text in a code cell is prose."""


def test_notebooks_are_thin():
    """No functions, loops, branches, arithmetic or prose in a cell.

    Those belong to the package, with a test; prose stands in Markdown cells.
    """
    kinds = (
        ast.FunctionDef, ast.For, ast.While, ast.BinOp, ast.Lambda, ast.If, ast.IfExp, ast.Try,
        ast.comprehension, ast.JoinedStr,
    )  # fmt: skip
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] != "code":
                continue
            for node in ast.walk(ast.parse("".join(cell["source"]))):
                assert not isinstance(node, kinds), f"{path.name}: {ast.unparse(node)}"
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    assert "\n" not in node.value, f"{path.name}: {node.value}"
                    assert len(node.value) <= LONGEST_TEXT, f"{path.name}: {node.value}"


def test_the_json_schema_for_editors_is_the_one_of_the_code():
    """templates/study.schema.json is what `perfkit study schema` prints (make schema)."""
    from perfkit.study.file import json_schema

    assert json.loads((ROOT / "templates/study.schema.json").read_text()) == json_schema()


def test_the_check_runs_what_the_readme_says():
    """.ci/run calls lint and the README's test command."""
    script = (ROOT / ".ci/run").read_text()
    assert "make lint" in script
    assert "make test" in script
    assert "make test" in (ROOT / "README.md").read_text()


def test_nothing_committed_names_this_machine():
    """No tracked file holds a path of a build machine or a package index."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    pattern = re.compile(rb"/work/" rb"(main|shared)|/(home|Users)/[a-z]+/|pypi" rb"\.org")
    for name in filter(None, names):
        path = ROOT / name
        if path.is_file():
            assert not pattern.search(path.read_bytes()), name


CLOCKED = re.compile(
    r"assert .*\b(monotonic|perf_counter|time\.time)\(\)|\b(communicate|wait)\(timeout="
)


def test_no_test_is_judged_by_a_clock():
    """On a busy machine any limit is too short; the one for all is that of pyproject.toml."""
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "tests").rglob("*.py")
        if "bench" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if CLOCKED.search(line)
    ]
    assert found == []
