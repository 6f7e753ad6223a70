"""The probe as one program for a remote host's Python, and as calls for this one."""

from __future__ import annotations

import ast
import functools
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from perfkit.core.errors import SafetyError
from perfkit.measure.probe.ask import FORMAT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from perfkit.core.files import Json

MODULES = ("read", "block", "mounts", "device", "machine", "storage", "pressure", "watch", "ask")
"""The probe's modules, each after those that it imports."""

START = (
    "python3",
    "-uc",
    "import sys; n = int(sys.stdin.buffer.readline()); "
    "exec(compile(sys.stdin.buffer.read(n), 'perfkit', 'exec'))",
)
"""The command that reads a ``framed`` program from its input, which stays open, and runs it."""

_LOADER = """\
import sys, types
for package in ("perfkit", "perfkit.measure", {package!r}):
    sys.modules[package] = types.ModuleType(package)
    sys.modules[package].__path__ = []
for name, source in {sources}:
    module = types.ModuleType({package!r} + "." + name)
    sys.modules[module.__name__] = module
    setattr(sys.modules[{package!r}], name, module)
    exec(compile(source, name + ".py", "exec"), module.__dict__)
"""

CALL = "module.main()\n"
"""Calls ``main`` of the last module of a bundle."""


class _Plain(ast.NodeTransformer):
    """Code without annotations, which older Pythons would evaluate and do not understand."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        # what is imported for type checkers alone
        checks = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if checks else self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)


def bundled(package: str, modules: Sequence[str]) -> str:
    """Modules of a package as the text of a program.

    They stand without annotations, so that older Pythons can read them.
    """
    folder = Path(__file__).parents[1] / package.rpartition(".")[2]
    texts = [(folder / f"{name}.py").read_text(encoding="utf-8") for name in modules]
    plain = [ast.unparse(_Plain().visit(ast.parse(text))) for text in texts]
    sources = json.dumps(list(zip(modules, plain, strict=True)))
    return _LOADER.format(package=package, sources=sources)


@functools.cache
def program() -> str:
    """The source of one Python program that answers a request (``command``) with JSON.

    It needs nothing installed but Python 3.6 or later (that of RHEL 8), writes nothing, and asks
    only tools of the system (wipefs or blkid, dmsetup).
    """
    return bundled("perfkit.measure.probe", MODULES) + "module.main(sys.argv[1:])\n"


def command(path: str, tools: tuple[str, ...] = ()) -> str:
    """The shell's command that runs ``program`` from its standard input on a host.

    For ssh: ``ssh HOST COMMAND < program``.
    """
    return shlex.join(["python3", "-", json.dumps({"path": path, "tools": tools})])


def framed(text: str) -> bytes:
    """A program as ``START`` takes it: its length in a line, then its text."""
    data = text.encode()
    return f"{len(data)}\n".encode() + data


def watch_command(device: str | None) -> str:
    """The shell's command by which the same program, ``framed``, watches a host.

    It prints the lines of a ``host.csv`` until its input or output is closed; ``device`` is the
    disk's name on that host.
    """
    return shlex.join([*START, json.dumps({"watch": device})])


def answered(printed: str, host: str) -> Json:
    """What the program printed on a host; SafetyError naming the host for an invalid answer."""
    lines = [line for line in printed.splitlines() if line.startswith("{")]
    try:
        found = json.loads(lines[-1]) if lines else None
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise SafetyError(f"{host}: the check of the target gave no answer; is python3 there?")
    return found
