"""The ``perfkit`` command: its subcommands, exit codes and error lines.

Exit codes: 0 done; 1 failed, one line ``error: ...`` on stderr; 2 wrong usage; 3 done, but
criteria are not met (or could not be judged), nothing could be compared, or an audit has findings;
130 interrupted.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, Any

import typer

from perfkit._version import __version__
from perfkit.cli import (
    audit,
    hosts,
    measure,
    reading,
    reporting,
    schedule,
    sources,
    store,
    studies,
    trend,
)
from perfkit.cli.common import FAILED, INTERRUPTED, USAGE, remark
from perfkit.core.errors import PerfkitError, UsageError

app = typer.Typer(
    name="perfkit",
    help="From storage-benchmark evidence to a technical report: measure, read, analyse, typeset.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="rich",
    epilog="Start with `perfkit doctor`; `perfkit COMMAND --help` shows an example of each.",
)
app.command("doctor")(studies.doctor)
app.command("run")(measure.run)
app.command("mark")(measure.mark)
app.add_typer(hosts.app, name="hosts")
app.command("read")(reading.read)
app.command("sources")(sources.sources)
app.command("report")(reporting.report)
app.command("compare")(reporting.compare)
app.command("audit")(audit.audit)
app.command("ingest")(store.ingest)
app.command("reingest")(store.reingest)
app.command("query")(store.query)
app.add_typer(store.app, name="store")
app.command("trend")(trend.trend)
app.add_typer(studies.app, name="study")
app.add_typer(schedule.app, name="schedule")
app.command("lab")(studies.lab)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"perfkit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def run(argv: list[str]) -> int:
    """Run one command line; returns its exit code. Nothing but ``--debug`` shows a traceback."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        result = _called(argv)
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except (SystemExit, BrokenPipeError):
        # the reader of our output left (head, less), which typer answers with SystemExit: not an
        # error of ours, and the interpreter shall not stumble over it again when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (PerfkitError, OSError) as problem:
        if "--debug" in argv:
            raise
        line = " ".join(str(problem).split()) or type(problem).__name__
        return _fail(line, USAGE if isinstance(problem, UsageError) else FAILED)
    finally:
        signal.signal(signal.SIGTERM, before)
    if result == INTERRUPTED:  # typer itself makes this of Ctrl-C
        message = "interrupted; what was accepted is kept, and the same command resumes"
        return _fail(message, INTERRUPTED)
    return result


def _called(argv: list[str]) -> int:
    try:
        result = app(argv, standalone_mode=False)
    except typer.TyperException as problem:
        # usage errors show the usage line too; typer's base class has no such method
        show = getattr(problem, "show", None)
        if show is None:
            return _fail(str(problem), USAGE)
        show()
        return problem.exit_code
    return result if isinstance(result, int) else 0


def _terminate(_signal: int, _frame: Any) -> None:
    """SIGTERM ends a command as Ctrl-C does: fio is stopped and accepted points stay."""
    raise KeyboardInterrupt


def _fail(message: str, code: int) -> int:
    remark(f"error: {message}")
    return code
