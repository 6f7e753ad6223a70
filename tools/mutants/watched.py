"""perfkit's modules as a test process loads them: with marks of what runs, or with one fault."""

from __future__ import annotations

import ast
import builtins
import hashlib
import marshal
import zlib
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

from faults import mutated

SPAN = 10_000
"""A module has as many marks: the first one, plus the line."""
MARK = "__mutants_mark__"


def first_mark(path: str) -> int:
    """The first mark of a module, by its path in the project."""
    return zlib.crc32(path.encode()) * SPAN


def watch(paths: dict[str, int], cache: Path) -> set[int]:
    """The set to which modules loaded from now on add the mark of each statement that runs.

    Args:
        paths: The modules' files with their first marks.
        cache: A folder for their compiled form.
    """
    marks: set[int] = set()
    vars(builtins)[MARK] = marks.add
    _load_by(lambda path: _marked(path, paths[path], cache) if path in paths else None)
    return marks


def inject(path: str, number: int) -> None:
    """Load one module with one of its faults."""
    code = compile(mutated(Path(path).read_text("utf-8"), number), path, "exec")
    _load_by(lambda other: code if other == path else None)


def _load_by(code_of: Callable[[str], CodeType | None]) -> None:
    usual = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        return code_of(loader.path) or usual(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


def _marked(path: str, first: int, cache: Path) -> CodeType:
    source = Path(path).read_bytes()
    kept = cache / hashlib.sha256(b"%d %s" % (first, source)).hexdigest()
    if kept.exists():
        code: CodeType = marshal.loads(kept.read_bytes())  # noqa: S302 - written below
        return code
    tree = ast.parse(source)
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, _with_marks(body, first))
    code = compile(ast.fix_missing_locations(tree), path, "exec")
    kept.write_bytes(marshal.dumps(code))
    return code


def _with_marks(body: list[Any], base: int) -> list[ast.stmt]:
    """A block with a mark before each statement, but before a docstring and ``__future__``."""
    marked: list[ast.stmt] = []
    for number, statement in enumerate(body):
        match statement:
            case ast.ImportFrom(module="__future__"):
                pass
            case ast.Expr(value=ast.Constant()) if number == 0:
                pass
            case _:
                call = ast.Call(
                    ast.Name(MARK, ast.Load()), [ast.Constant(base + statement.lineno)], []
                )
                marked.append(ast.copy_location(ast.Expr(call), statement))
        marked.append(statement)
    return marked
