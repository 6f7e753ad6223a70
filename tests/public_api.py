"""The public names with their signatures, as the stubs hold them (``make api`` writes them).

A stub lists each name with its module, by hand. Below the list stands what is written from the
source: every verb with its types, a line each, and the members of every class. A verb that takes
evidence also takes what could not be answered, and may return it: ``Unanswered``.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
import textwrap
from importlib import import_module
from types import ModuleType
from typing import Any, get_overloads

from places import ROOT

import perfkit
from perfkit.core.lazy import names_of

SPACES = ("awr", "genio", "ontap", "sas", "trend")
STUBS = [ROOT / "perfkit" / f"{space}.pyi" for space in ("__init__", *SPACES)]
MARK = "# Written by `make api`, from here to the end.\n"
EVIDENCE = {"Measured", "Reading", "Verdict", "Shown", "Source", "Tables"}
"""Types of evidence and of what verbs make of it, and aliases of such types."""


def public() -> dict[str, Any]:
    """Every name of the stubs with what it stands for: ``read``, ``sas.jobs`` ..."""
    found = {}
    for stub in STUBS:
        space = stub.stem.replace("__init__", "")
        place = getattr(perfkit, space) if space else perfkit
        for name in names_of(stub.read_text(encoding="utf-8")):
            found[f"{space}.{name}".lstrip(".")] = getattr(place, name)
    return found


def written(stub: str) -> str:
    """The stub as it should be: its list, and what is written below it."""
    listed = stub.partition(MARK)[0]
    lines: list[str] = []
    imports: dict[str, str] = {}
    for name, module in names_of(stub).items():
        value = import_module(f"{module}.{name}") if module == "perfkit" and name in SPACES else (
            getattr(import_module(module), name))  # fmt: skip
        verb = inspect.unwrap(value) if callable(value) else value
        is_verb = inspect.isfunction(verb)
        listed = re.sub(rf" as _?{name}\n", f" as {'_' * is_verb}{name}\n", listed)
        if is_verb:
            shows = "takes_unanswered" in vars(value)
            lines += _signatures(verb, shows=shows, imports=imports)
        elif inspect.isclass(value):
            members = sorted({*vars(value), *inspect.get_annotations(value)})
            lines.append(f"# {name}: {', '.join(n for n in members if n[0] != '_')}")
    needed = [
        f"import {module} as {name}" if name == "pl" else f"from {module} import {name}"
        for name, module in sorted(imports.items(), key=lambda item: item[::-1])
        if f" as {name}\n" not in listed
    ]
    return "\n".join([listed + MARK + "\n".join(needed), "", *lines, ""])


def _signatures(verb: Any, *, shows: bool, imports: dict[str, str]) -> list[str]:
    """The lines of a verb, one for each overload; adds what they import."""
    overloads = get_overloads(verb)
    lines = []
    for item in overloads or [verb]:
        (made,) = ast.parse(textwrap.dedent(inspect.getsource(item))).body
        assert isinstance(made, ast.FunctionDef)
        is_step = any(ast.unparse(i).startswith("step(") for i in made.decorator_list)
        if is_step and ast.unparse(made.returns or made) == "pl.DataFrame":
            made.returns = ast.Name("Measured")
        if not shows:
            _widen(made)
        made.decorator_list = [ast.Name("overload")] if overloads else []
        _write_defaults(made, item)
        for used in _types(made):
            home = _home(used, sys.modules[verb.__module__])
            assert imports.setdefault(used, home) == home, f"two types have the name {used}"
        made.body = []
        lines += [f"@{ast.unparse(i)}" for i in made.decorator_list]
        lines.append(f"{ast.unparse(made).splitlines()[-1]} ...")
    return lines


def _write_defaults(made: ast.FunctionDef, verb: Any) -> None:
    """Defaults that have a name in their module by their value; what is not a constant by dots."""
    values = [item.default for item in inspect.signature(verb).parameters.values()
              if item.default is not inspect.Parameter.empty]  # fmt: skip
    written = iter([value if isinstance(value, str | int | float | None) else ...
                    for value in values])  # fmt: skip
    for defaults in (made.args.defaults, made.args.kw_defaults):
        defaults[:] = [default and ast.Constant(next(written)) for default in defaults]


def _widen(verb: ast.FunctionDef) -> None:
    """Of a verb that takes evidence: what stands in place of it may be Unanswered, as its answer.

    So may what has to be given beside it, such as the event that another verb found.
    """
    given = verb.args.args
    required = given[: len(given) - len(verb.args.defaults)]
    evidence = [item for item in (*given, *verb.args.kwonlyargs) if EVIDENCE & _words(item)]
    if evidence:
        for item in dict.fromkeys([*required, *evidence]):
            item.annotation = _or_unanswered(_Inside().visit(item.annotation))
        verb.returns = _or_unanswered(verb.returns)


class _Inside(ast.NodeTransformer):
    """Evidence in a list or mapping may be Unanswered, too."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = [_or_unanswered(part) if EVIDENCE & _words(part) else part for part in parts]
        node.slice = ast.Tuple(parts) if len(parts) > 1 else parts[0]
        return node


def _or_unanswered(annotation: ast.expr | None) -> ast.expr:
    assert annotation is not None
    return ast.BinOp(annotation, ast.BitOr(), ast.Name("Unanswered"))


def _words(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _types(verb: ast.FunctionDef) -> set[str]:
    """The names in its signature that are not Python's own."""
    return (_words(verb.args) | _words(verb.returns or verb) | _words(
        ast.Module(verb.decorator_list, []))) - set(dir(builtins))  # fmt: skip


def _home(name: str, module: ModuleType) -> str:
    """The module that a name of an annotation comes from."""
    if name in {"Unanswered", "Measured", "overload"}:
        return {"Unanswered": "perfkit.core.unanswered", "Measured": "perfkit.core.lineage",
                "overload": "typing"}[name]  # fmt: skip
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and any(a.name == name for a in node.names):
            return str(node.module)
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname == name:
                    return alias.name
    return module.__name__


if __name__ == "__main__":
    for path in STUBS:
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")
