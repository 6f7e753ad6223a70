"""The mutants of a module: each is its syntax tree with one small fault.

Left out is what no test of results can tell apart: docstrings, annotations, decorators, the text of
messages, and arguments that only say how something is done.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
CONNECTED: dict[type[ast.boolop], type[ast.boolop]] = {ast.And: ast.Or, ast.Or: ast.And}

LEFT_OUT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)
LEFT_OUT_FIELDS = {"annotation", "returns", "decorator_list", "keywords.arg", "type_params"}
HOW = {"strict", "maxsize", "stacklevel", "maintain_order", "ensure_ascii", "infer_schema_length"}
"""Keyword arguments that change no result, or one only that cannot occur."""
TEXT_OR_LIST = (ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Starred)


@dataclass(frozen=True)
class Mutant:
    """One fault of a module.

    Attributes:
        number: Which of the module's mutants.
        statement: Line of the statement that holds it: a test that runs this line can see it.
        line: Its own line.
        what: The code before and after.
        at_import: Whether the statement runs where the module is imported, and then no more.
    """

    number: int
    statement: int
    line: int
    what: str
    at_import: bool


@dataclass(frozen=True)
class _Site:
    """A node of the tree (``holder.field``, at ``index`` in a list) and its faulty form."""

    statement: int
    holder: ast.AST
    field: str
    index: int | None
    node: ast.AST
    fault: ast.AST

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.holder, self.field, node)
        else:
            getattr(self.holder, self.field)[self.index] = node


def mutants(source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    tree = ast.parse(source)
    called = {
        inner.lineno
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in outer.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.stmt)
    }
    return [
        Mutant(number, site.statement, site.node.lineno, _told(site), site.statement not in called)
        for number, site in enumerate(_sites(tree))
    ]


def mutated(source: str, number: int) -> ast.Module:
    """The module's tree with one fault."""
    tree = ast.parse(source)
    site = list(_sites(tree))[number]
    site.put(site.fault)
    return ast.fix_missing_locations(tree)


def _told(site: _Site) -> str:
    before, after = (" ".join(ast.unparse(node).split())[:120] for node in (site.node, site.fault))
    return f"{before}  ->  {after}"


def _sites(tree: ast.Module) -> Iterator[_Site]:
    for holder, field, index, node, statement in _nodes(tree, 0):
        for fault in _faults(node, holder):
            yield _Site(statement, holder, field, index, node, ast.copy_location(fault, node))


def _nodes(
    holder: ast.AST, statement: int
) -> Iterator[tuple[ast.AST, str, int | None, ast.AST, int]]:
    """Each node below another that may be faulty, with its place and its statement's line."""
    for field, value in ast.iter_fields(holder):
        if field in LEFT_OUT_FIELDS:
            continue
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for index, node in items:
            if not isinstance(node, ast.AST) or _left_out(node):
                continue
            line = node.lineno if isinstance(node, ast.stmt) else statement
            yield holder, field, index, node, line
            yield from _nodes(node, line)


def _left_out(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.keyword(arg=arg):
            return arg in HOW
        case ast.Assign(targets=[ast.Name(id=name)]):
            return name.startswith("__")
    return isinstance(node, LEFT_OUT)


def _faults(node: ast.AST, holder: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare() | ast.BinOp() | ast.BoolOp() | ast.UnaryOp():
            yield from _of_operators(node)
        case ast.If() | ast.IfExp() | ast.While():
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=ast.AST() as value) if not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.AugAssign() | ast.Continue() | ast.Break() | ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Constant(value=value):
            yield from _constants(value, holder)


def _of_operators(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]):
            yield _with(node, ops=[COMPARED[type(op)]()])
        case ast.BinOp(op=op, left=left, right=right):
            if type(op) in COMPUTED and not (_is_text(left) or _is_text(right)):
                yield _with(node, op=COMPUTED[type(op)]())
        case ast.BoolOp(op=op):
            yield _with(node, op=CONNECTED[type(op)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand


def _constants(value: object, holder: ast.AST) -> Iterator[ast.AST]:
    match value:
        case bool():
            yield ast.Constant(not value)
        case int():
            yield ast.Constant(value + 1)
        case float():
            yield ast.Constant(value * 2 or 1.0)
        case str() if isinstance(holder, ast.Compare) and value:
            yield ast.Constant(f"{value}_")


def _with(node: ast.AST, **changed: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in changed.items():
        setattr(other, name, value)
    return other


def _is_text(node: ast.AST) -> bool:
    """Text and lists: with another operator they fail wherever they run."""
    match node:
        case ast.BinOp(left=left, right=right):
            return _is_text(left) or _is_text(right)
        case ast.Constant(value=value):
            return isinstance(value, str | bytes)
    return isinstance(node, TEXT_OR_LIST)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
