"""The public names: one list, lazy, typed, whole in completion, and none changed by accident."""

import ast
import inspect
import operator
import re
import subprocess
import sys

import pytest
from places import ROOT
from public_api import MARK, SPACES, STUBS, public, written

import perfkit as pk
from perfkit.core.lazy import names_of


def run_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_stub_lists_each_name_with_its_module():
    stub = (
        '"""Words from import as."""\n'
        "from perfkit.sources import read as read\n"
        "from perfkit import sas as sas\n"
        "from perfkit.core import lazy as other\n"
        "from collections.abc import Sequence\n"
        "__all__: list[str]\n"
    )
    assert names_of(stub) == {"read": "perfkit.sources", "sas": "perfkit"}


def test_each_line_of_a_stub_is_a_name():
    """A line of another form would be known to mypy and not to Python."""
    for stub in STUBS:
        text = stub.read_text().partition(MARK)[0]
        code = text.rpartition('"""')[2].replace("__all__: list[str]", "").split("\n")
        assert len(names_of(text)) == len([line for line in code if line.strip()])


def test_about_a_hundred_names_stand_at_the_top():
    assert 60 < len(pk.__all__) <= 100


def test_completion_is_whole():
    """`dir`, which JupyterLab completes from, lists each public name and nothing else."""
    listed = {
        *dir(pk),
        *(f"{space}.{name}" for space in SPACES for name in dir(getattr(pk, space))),
    }
    assert listed == set(public())
    assert all(
        dir(place) == place.__all__ for place in (pk, *(getattr(pk, space) for space in SPACES))
    )


@pytest.mark.slow
@pytest.mark.parametrize("space", ["pk", "pk.sas"])
def test_jupyterlab_completes_every_name_before_one_was_used(space):
    """As the kernel does, by jedi, which reads the live module and its stub."""
    code = f"""
import perfkit as pk
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
completer = InteractiveShell.instance(user_ns={{"pk": pk}}).Completer
with provisionalcompleter():
    found = list(completer.completions("{space}.", {len(space) + 1}))
names = {{item.text.lstrip(".") for item in found}}
print(completer.use_jedi, sorted(names ^ set({space}.__all__)))
"""
    assert run_python(code) in {"True []\n", "True ['__version__']\n"}


def test_importing_perfkit_imports_no_room():
    code = "import sys, perfkit; print(sorted(m for m in sys.modules if m.startswith('perfkit')))"
    assert run_python(code) == "['perfkit', 'perfkit.core', 'perfkit.core.lazy']\n"


def test_importing_perfkit_imports_nothing_else_either():
    """A library is imported with the first verb that needs it; typing alone takes 10 ms."""
    code = "import sys; before = set(sys.modules); import perfkit; print(set(sys.modules) - before)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.append({str(ROOT)!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    others = {name for name in ast.literal_eval(done.stdout) if not name.startswith("perfkit")}
    assert others <= {"__future__", "importlib", "importlib._bootstrap",
                      "importlib._bootstrap_external", "_warnings", "warnings"}  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("laency_curve", "latency_curve"),
        ("table_worst_periods", "awr.table_worst_periods"),
        ("sas.job", "jobs"),
    ],
)
def test_an_unknown_name_says_which_may_be_meant(wrong, right):
    with pytest.raises(AttributeError, match=rf"no attribute .*; did you mean '{right}'\?$"):
        operator.attrgetter(wrong)(pk)


def test_a_name_like_no_other_is_an_attribute_error_too():
    with pytest.raises(AttributeError, match=r"^module 'perfkit' has no attribute 'xyzzy'$"):
        pk.xyzzy  # noqa: B018
    with pytest.raises(AttributeError, match=r"^module 'perfkit' has no attribute '_repr_html_'$"):
        pk._repr_html_  # noqa: B018


@pytest.mark.slow
def test_no_module_takes_the_place_of_a_verb():
    """All rooms are imported first: one called `report` would then be `pk.report`."""
    code = """
import importlib, operator, pkgutil, types
import perfkit
from public_api import SPACES, public

for module in pkgutil.iter_modules(perfkit.__path__, "perfkit."):
    if module.name != "perfkit.__main__":
        importlib.import_module(module.name)
for name in public():
    found = operator.attrgetter(name)(perfkit)
    assert isinstance(found, types.ModuleType) == (name in SPACES), name
    assert name in SPACES or name == "__version__" or callable(found), name
    assert found is public()[name]
"""
    run_python(f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\n{code}")


def test_a_module_beside_the_stub_has_no_name_of_it_but_the_namespaces():
    beside = {path.stem for path in (ROOT / "perfkit").iterdir()}
    assert beside & set(pk.__all__) == set(SPACES)


@pytest.mark.parametrize("stub", STUBS, ids=lambda path: path.stem)
def test_the_public_names_and_signatures_are_those_written_down(stub):
    """A change that is meant: `make api`, a line in CHANGELOG.md, and the rule of docs/api.md."""
    assert written(stub.read_text()) == stub.read_text()


def test_every_verb_that_takes_evidence_may_return_unanswered():
    """What `answering` does to a verb when it is called, the stub says of its types."""
    text = "".join(stub.read_text() for stub in STUBS)
    verbs = re.findall(r"^def (\w+)\((.*)\) -> (.*): \.\.\.$", text, re.M)
    takes = {name for name, given, _ in verbs if "Unanswered" in given}
    assert takes == {name for name, _, gives in verbs if gives.endswith(" | Unanswered")}
    plain = {name for name, _, _ in verbs} - takes
    assert plain == {
        "comparison_asked", "criteria_set", "default_policies", "expectation_suite",
        "named_workload", "open_study", "purpose", "read", "read_document", "report",
        "run", "show", "show_each", "show_tables", "store", "table_rules",
    }  # fmt: skip


def test_help_says_what_a_step_gives():
    assert inspect.signature(pk.peak).return_annotation == "Measured"


UNANSWERED = "perfkit.core.unanswered.Unanswered"
TYPES = {
    'pk.read("fio.json", kind="fio")': "perfkit.core.lineage.Reading",
    "pk.peak(points)": f"perfkit.core.lineage.Measured | {UNANSWERED}",
    "pk.sas.jobs(points, points, table)": f"perfkit.core.lineage.Measured | {UNANSWERED}",
    "pk.say(pk.peak(points))": f"list[perfkit.core.values.Statement] | {UNANSWERED}",
    'pk.peak(reading.table("load_points"))': f"perfkit.core.lineage.Measured | {UNANSWERED}",
    "pk.plot_latency_curve(pk.latency_curve(points))": f"perfkit.core.values.Figure | {UNANSWERED}",
    "pk.table_headlines([points], questions=[])": f"perfkit.core.values.Table | {UNANSWERED}",
    "(pk.peak(points) or points).frame": "polars.dataframe.frame.DataFrame",
    'pk.run(pk.named_workload("oltp-select"), "/mnt/array")': "pathlib.Path",
    'pk.run("study.yml")': "list[pathlib.Path]",
    'pk.report("study.yml").pdf': "pathlib.Path",
}
WRONG = {
    "pk.read(3)": "arg-type",
    "pk.peak()": "call-arg",
    "pk.peak(points).frame": "union-attr",
    "pk.peak(3)": "arg-type",
    'pk.run(pk.named_workload("oltp-select"))': "call-overload",
    "pk.table_top_events(points)": "attr-defined",
}
BEGIN = """import perfkit as pk

def call(reading: pk.Reading, points: pk.Measured, table: pk.sas.JobTable) -> None:
"""


@pytest.mark.slow
def test_a_users_script_is_checked_against_real_types(tmp_path):
    """Outside of the checkout, with nothing but `mypy --strict`; a wrong call is an error."""
    calls = [f"    reveal_type({call})" for call in TYPES] + [f"    {call}" for call in WRONG]
    (tmp_path / "script.py").write_text(BEGIN + "\n".join(calls) + "\n")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--hide-error-context", "script.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    revealed = re.findall(r'note: Revealed type is "(.*)"', done.stdout)
    assert revealed == list(TYPES.values()), done.stdout
    assert re.findall(r"error: .* \[([a-z-]+)\]$", done.stdout, re.M) == list(WRONG.values())
