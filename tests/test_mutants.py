"""The faults of make mutants: which are made, which are left out, that each changes the code."""

import sys

import pytest
from places import ROOT

sys.path.append(str(ROOT / "tools/mutants"))
from faults import mutants, mutated

SOURCE = '''\
"""Words 1."""
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import decimal


def rate(ios: int = 0, seconds: float = 2.0) -> float | None:
    """Words 2."""
    if seconds <= 0 or not ios:
        raise ValueError(f"no rate of {seconds + 1}")
    return ios / seconds
'''


def test_every_kind_of_fault_is_made_once_and_none_of_words_and_annotations():
    assert [(each.line, each.what) for each in mutants(SOURCE)] == [
        (8, "0  ->  1"),
        (8, "2.0  ->  4.0"),
        (10, "if seconds <= 0 or not ios: raise ValueError(f'no rate of {seconds + 1}')  ->  "
             "if not (seconds <= 0 or not ios): raise ValueError(f'no rate of {seconds + 1}')"),
        (10, "seconds <= 0 or not ios  ->  seconds <= 0 and (not ios)"),
        (10, "seconds <= 0  ->  seconds < 0"),
        (10, "0  ->  1"),
        (10, "not ios  ->  ios"),
        (12, "return ios / seconds  ->  return None"),
        (12, "ios / seconds  ->  ios * seconds"),
    ]  # fmt: skip


def test_what_runs_where_the_module_is_imported_is_told_from_what_a_call_runs():
    """Defaults are made with the function, once: a later test does not run their line again."""
    found = {each.what: each.at_import for each in mutants(f"{SOURCE}\n\nHALF = 0.5\n")}
    assert [found[what] for what in ("2.0  ->  4.0", "0.5  ->  1.0")] == [True, True]
    assert found["ios / seconds  ->  ios * seconds"] is False


@pytest.mark.parametrize(
    ("what", "expected"),
    [("ios / seconds  ->  ios * seconds", 12.0), ("return ios / seconds  ->  return None", None),
     ("2.0  ->  4.0", 1.5)],
)  # fmt: skip
def test_a_mutant_runs_with_its_one_fault(what, expected):
    (number,) = [each.number for each in mutants(SOURCE) if each.what == what]
    names = {}
    exec(compile(mutated(SOURCE, number), "rate.py", "exec"), names)
    assert names["rate"](6) == expected


def test_a_mark_is_of_one_line_of_one_module():
    from watched import SPAN, first_mark

    paths = [str(path.relative_to(ROOT)) for path in (ROOT / "perfkit").glob("**/*.py")]
    assert len({first_mark(path) // SPAN for path in paths}) == len(paths)
