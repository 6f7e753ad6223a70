"""Execute a notebook with papermill, strictly: a mistyped parameter is an error, not a remark."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from perfkit.core.errors import ReportError, did_you_mean
from perfkit.reporting.execute import engine, kernels
from perfkit.reporting.execute.kernels import Kernel

if TYPE_CHECKING:
    from papermill.exceptions import PapermillExecutionError

FAILED_SUFFIX = ".failed.ipynb"
"""What the partial notebook of a failed execution is called."""


class Stream(Protocol):
    """What a kernel's output can be written to."""

    def write(self, text: str, /) -> object:
        """Take a piece of text."""
        ...

    def flush(self) -> object:
        """Show what was taken."""
        ...


@dataclass(frozen=True)
class Parameter:
    """A notebook's parameter: its name, default (as source text) and the comment beside it."""

    name: str
    default: str
    help: str


def parameters_of(notebook: Path) -> dict[str, Parameter]:
    """The parameters a notebook declares in its cell tagged ``parameters``.

    Raises ReportError when the file is not a notebook.
    """
    _check_notebook(notebook)
    import papermill  # after nbformat, which _check_notebook imports in the quick way

    try:
        found = papermill.inspect_notebook(_literal(notebook))
    except ValueError as problem:
        raise ReportError(f"{notebook}: its parameters cannot be read: {problem}") from problem
    return {
        name: Parameter(name, str(item["default"]), str(item["help"]))
        for name, item in found.items()
    }


def execute(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, Any],
    *,
    cwd: Path,
    progress: Stream | None = None,
    rewrite: Callable[[Any], Any] | None = None,
    kernel: Kernel | None = None,
    prefetch: engine.Prefetch | None = None,
) -> Any:
    """Execute a notebook with parameters; returns the executed notebook node.

    ``rewrite`` changes the node before it is written or returned, also the partial one. ``kernel``
    is one that starts already; ``prefetch`` is told what the notebook does.

    ``output`` is written when the execution succeeded. What cells print (the progress of a
    measurement) goes to ``progress`` while it runs. When a cell raises, the partial notebook is
    kept beside ``output`` with the suffix ``.failed.ipynb``.

    Raises ReportError: no notebook, an unknown parameter, a parameter that has no JSON form, a
    cell that raised (its number, first line and error are named).
    """
    if kernel is None:
        with kernels.starting(notebook, cwd) as own:
            return execute(
                notebook,
                output,
                parameters,
                cwd=cwd,
                progress=progress,
                rewrite=rewrite,
                kernel=own,
                prefetch=prefetch,
            )
    check_parameters(notebook, parameters)
    importlib.import_module("perfkit.reporting.execute.quick_nbformat")  # before papermill's own
    import papermill
    from jupyter_client.kernelspec import NoSuchKernel
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    given = {name: _jsonable(name, value) for name, value in parameters.items()}
    partial = output.with_name(output.stem + FAILED_SUFFIX)
    partial.unlink(missing_ok=True)
    run = engine.Run()
    try:
        node = papermill.execute_notebook(
            _literal(notebook),
            None,  # nothing is written that ``rewrite`` has not seen
            parameters=given,
            cwd=cwd,
            progress_bar=False,
            stdout_file=progress,
            stderr_file=progress,
            request_save_on_cell_execute=False,  # twice a cell: 0.4 to 1.3 s of a report of 9 s
            engine_name=engine.register(kernel, prefetch or engine.Prefetch(), run),
            **kernels.asked(notebook),
        )
    except BaseException as problem:
        failure = None
        if isinstance(problem, PapermillExecutionError):
            failure = _failure(run.node, problem)
            if failure is None:
                return _write_rewritten(run.node, notebook, output, rewrite)
        # also Ctrl-C and a kernel that died: what ran so far is kept
        if run.node is not None:
            _write_rewritten(run.node, notebook, partial, rewrite)
        if failure is not None:
            raise ReportError(_error_line(notebook, failure, partial)) from problem
        if isinstance(problem, DeadKernelError | NoSuchKernel | RuntimeError):
            # nbclient and jupyter_client raise RuntimeError for a kernel that does not start
            raise ReportError(_died(notebook, problem, kernel.log, partial)) from problem
        raise
    return _write_rewritten(node, notebook, output, rewrite)


@dataclass(frozen=True)
class _Failure:
    """A cell that failed: its place among the cells, its source and the error."""

    place: int
    source: str
    ename: str
    evalue: str


def _failure(node: Any, problem: PapermillExecutionError) -> _Failure | None:
    """The cell that ended an execution; None where each that failed has the tag raises-exception.

    papermill names the first cell with an error, which may be one that was let fail. The marks that
    it sets above the cell are taken out.
    """
    from papermill.execute import remove_error_markers

    let_fail = False
    for place, cell in enumerate(remove_error_markers(node).cells, 1):
        errors = [out for out in cell.get("outputs", []) if out["output_type"] == "error"]
        if errors and "raises-exception" not in cell.metadata.get("tags", []):
            if errors[0]["ename"] == "SystemExit" and errors[0]["evalue"] in {"", "0"}:
                continue
            return _Failure(place, cell.source, errors[0]["ename"], errors[0]["evalue"])
        let_fail = let_fail or bool(errors)
    if let_fail:
        return None
    return _Failure(problem.cell_index + 1, problem.source, problem.ename, problem.evalue)


def _write_rewritten(
    node: Any, notebook: Path, path: Path, rewrite: Callable[[Any], Any] | None
) -> Any:
    """Write an executed notebook, whole or partial; the node as it was written."""
    # names instead of the absolute paths that papermill notes down: a report may be published
    node.metadata.papermill.input_path = notebook.name
    node.metadata.papermill.output_path = path.name
    node = rewrite(node) if rewrite else node
    write(node, path)
    return node


def check_parameters(notebook: Path, parameters: Mapping[str, Any]) -> None:
    """ReportError for a parameter that the notebook does not declare (papermill only warns)."""
    known = parameters_of(notebook)
    for name in parameters:
        if name not in known:
            raise ReportError(
                f"{notebook}: no parameter {name!r}; {did_you_mean(name, list(known))}"
            )


def write(node: Any, path: Path) -> None:
    """Write a notebook under a temporary name, then rename it: it is whole or not there."""
    from perfkit.reporting.execute.quick_nbformat import nbformat

    temporary = path.with_name(f".{path.name}.tmp")
    nbformat.write(node, temporary)
    temporary.replace(path)


def _check_notebook(path: Path) -> None:
    from perfkit.reporting.execute.quick_nbformat import nbformat

    if not path.is_file():
        raise ReportError(f"{path}: there is no such notebook")
    try:
        nbformat.read(path, as_version=4)
    except Exception as problem:
        # nbformat raises half a dozen kinds for what is all the same to the user
        raise ReportError(f"{path}: not a readable notebook ({problem})") from problem


def _literal(path: Path) -> str:
    """The path as papermill takes it: it fills {} in paths with parameters."""
    return str(path).replace("{", "{{").replace("}", "}}")


def _jsonable(name: str, value: Any) -> Any:
    if isinstance(value, PurePath):
        return str(value)
    try:
        json.dumps(value)
    except TypeError as problem:
        raise ReportError(f"parameter {name!r}: {problem}") from problem
    return value


def _died(notebook: Path, problem: Exception, log: TextIO, partial: Path) -> str:
    """One line for a kernel that ended or did not start, with the last thing it said."""
    log.seek(0)
    said = [line.strip() for line in log.read().splitlines() if line.strip()]
    last = f" ({said[-1]})" if said else ""
    kept = f"; partial notebook: {partial}" if partial.is_file() else ""
    return f"{notebook}: the kernel ended: {str(problem).splitlines()[0]}{last}{kept}"


def _error_line(notebook: Path, failure: _Failure, partial: Path) -> str:
    """One line: notebook, cell, its first line of code, the error, and where the rest is."""
    lines = [line for line in str(failure.source).splitlines() if line.strip()]
    first = f" ({lines[0].strip()!r})" if lines else ""
    message = str(failure.evalue).strip().splitlines()
    cause = f"{failure.ename}: {message[0]}" if message else str(failure.ename)
    return f"{notebook}: cell {failure.place}{first}: {cause}; partial notebook: {partial}"
