"""``perfkit hosts``: the servers on the load generators of a sweep over many hosts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from perfkit.core.errors import RunError, UsageError
from perfkit.measure.engines import EngineName

if TYPE_CHECKING:
    from perfkit.measure.fleet.hosts import Host

app = typer.Typer(help="Start, check and stop fio's or elbencho's servers on load generators.")


Addresses = Annotated[
    list[str], typer.Argument(metavar="HOST[:PORT]...", help="Load generators by address.")
]
Which = Annotated[EngineName, typer.Option("--engine", help="Whose servers.")]
Run = Annotated[bool, typer.Option("--run", help="Run the commands (over ssh), not only print.")]


@app.command()
def start(hosts: Addresses, engine: Which = "fio", run: Run = False) -> None:
    """Print, or run, the commands that start a server on every host, bound to its address.

    For example:

        perfkit hosts start 10.0.0.11 10.0.0.12 --run
    """
    _each("start", hosts, engine, run=run)


@app.command()
def stop(hosts: Addresses, engine: Which = "fio", run: Run = False) -> None:
    """Print, or run, the commands that stop the servers.

    For example:

        perfkit hosts stop 10.0.0.11 10.0.0.12 --run
    """
    _each("stop", hosts, engine, run=run)


@app.command()
def check(hosts: Addresses, engine: Which = "fio") -> None:
    """Check whether the server of every host answers; fails if one does not.

    For example:

        perfkit hosts check 10.0.0.11 10.0.0.12 --engine elbencho
    """
    from perfkit.measure.fleet import servers

    states = [servers.check(host) for host in _hosts(hosts, engine)]
    for state in states:
        typer.echo(f"{state.host.label}: {'answers' if state.answers else state.reason}")
    silent = [state.host.label for state in states if not state.answers]
    if silent:
        raise RunError(f"no server answers at {', '.join(silent)}")


def _each(what: str, addresses: list[str], engine: EngineName, *, run: bool) -> None:
    from perfkit.measure.engines.engine import engine_of
    from perfkit.measure.fleet import servers

    server = engine_of(engine).server
    if what == "start":
        typer.echo(f"warning: {server.warning}", err=True)
    problems = []
    for host in _hosts(addresses, engine):
        if not run:
            typer.echo(servers.command(server, what, host))
            continue
        try:
            typer.echo(f"{host.label}: {servers.carry_out(server, what, host)}")
        except RunError as problem:
            # a host that is out of reach must not keep the others from being stopped
            problems.append(str(problem))
    if problems:
        raise RunError("\n".join(problems))


def _hosts(addresses: list[str], engine: EngineName) -> list[Host]:
    from perfkit.measure.engines.engine import engine_of
    from perfkit.measure.fields import HOST_FORM
    from perfkit.measure.fleet.hosts import hosts_of

    for address in addresses:
        if not re.match(HOST_FORM, address):
            raise UsageError(f"{address!r}: write a host as NAME or NAME:PORT")
    return list(hosts_of(tuple(addresses), engine_of(engine).server.port))
