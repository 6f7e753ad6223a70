"""``perfkit schedule``: measurements and reports that come again and again."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from perfkit.cli.common import NOT_MET, remark
from perfkit.core.errors import PerfkitError, UsageError

if TYPE_CHECKING:
    from perfkit.scheduling.listing import Overview
    from perfkit.scheduling.schedule_file import Scheduled

app = typer.Typer(
    help="Measure and report again and again, unattended.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

FILE = Path("schedule.yml")
Name = Annotated[str, typer.Argument(metavar="NAME", help="An entry of the schedule.")]
File = Annotated[Path, typer.Option("--file", "-f", help="The schedule file, or its folder.")]
Systemd = Annotated[bool, typer.Option("--systemd", help="Service and timer.")]
Cron = Annotated[bool, typer.Option("--cron", help="Lines in your crontab.")]
System = Annotated[
    bool, typer.Option("--system/--user", help="Units of the system, or of the user.")
]
Folder = Annotated[
    Path | None, typer.Option(help="Where the units go, instead of systemd's own folder.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


@app.command("run")
def run(
    name: Name,
    file: File = FILE,
    at: Annotated[
        str | None,
        typer.Option(help="Pretend it is this time: 2026-11-21T06:00 (in the entry's time zone)."),
    ] = None,
    due: Annotated[
        bool, typer.Option("--due", help="Only what is due: quiet when there is nothing to do.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Run it again even if the slot has its report.")
    ] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Run it again if it failed.")] = False,
) -> None:
    """Run the newest slot of an entry, unless it has run already: a second call changes nothing.

    Exit codes: 0 the report is there; 3 criteria are not met or not judged, or an answer got worse
    (regression); 1 failed.

    For example:

        perfkit schedule run nightly

        perfkit schedule run nightly --at 2026-11-20T06:00
    """
    from perfkit.scheduling.run import run_entry

    scheduled = _entry(file, name)
    answer = run_entry(
        scheduled, at=_moment(at, scheduled), due=due, again=again, retry=retry, say=remark
    )
    if answer.run is None:
        return
    before = "" if answer.fresh else " (run before; --again runs it once more)"
    folder = f": {scheduled.reports / answer.run.folder}" if answer.run.folder else ""
    if answer.run.lost(scheduled.reports):
        raise PerfkitError(
            f"{name} {answer.run.moment:%Y-%m-%d %H:%M}: was {answer.run.outcome!r}, and its "
            f"report is gone{folder}; --again makes it once more"
        )
    typer.echo(f"{name} {answer.run.moment:%Y-%m-%d %H:%M}: {answer.run.outcome}{folder}{before}")
    for line in answer.run.regressions:
        remark(f"{line} (exit code {NOT_MET})")
    for line in answer.run.lasting:
        remark(f"since an earlier slot: {line}")
    if answer.run.exit_code == 1:
        raise PerfkitError(f"{name}: {answer.run.reason}")
    if answer.run.exit_code:
        raise typer.Exit(answer.run.exit_code)


@app.command("list")
def list_(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One entry only.")] = None,
    file: File = FILE,
    count: Annotated[int, typer.Option("--count", "-n", min=1, help="Past slots shown.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Show the next slot of each entry and its last ones: verdict, duration, reason of a failure.

    For example:

        perfkit schedule list

        perfkit schedule list nightly -n 30 --json
    """
    from perfkit.scheduling.listing import overview
    from perfkit.scheduling.run import utc_now
    from perfkit.scheduling.schedule_file import chosen

    found = [overview(entry, utc_now(), count) for entry in chosen(file, name)]
    if as_json:
        typer.echo(json.dumps([_as_json(entry) for entry in found], indent=1, ensure_ascii=False))
        return
    _show(found)


@app.command("check")
def check(file: File = FILE) -> None:
    """Check a schedule and the studies it names; show the next three slots of each entry.

    For a file of an older perfkit it says what to write.

    For example:

        perfkit schedule check --file nightly/schedule.yml
    """
    from perfkit.scheduling import making
    from perfkit.scheduling.run import utc_now
    from perfkit.scheduling.schedule_file import open_schedule, outdated

    entries = open_schedule(file)
    for entry in entries:
        making.check(entry)
        slots = entry.entry.when.after(utc_now(), entry.zone)
        three = [slot for slot, _ in zip(slots, range(3), strict=False)]
        shown = ", ".join(f"{slot.astimezone(entry.zone):%a %Y-%m-%d %H:%M %Z}" for slot in three)
        typer.echo(f"{entry.name}: {shown or 'no further slot'}")
    typer.echo("\n".join([f"{file}: good", *outdated(entries)]))


@app.command("install")
def install(
    name: Name,
    file: File = FILE,
    systemd: Systemd = False,
    cron: Cron = False,
    system: System = False,
    folder: Folder = None,
    yes: Yes = False,
) -> None:
    """Hand an entry to systemd or cron; what will be written is shown first.

    For example:

        perfkit schedule install nightly --systemd

        perfkit schedule install nightly --cron
    """
    from perfkit.scheduling import crontab
    from perfkit.scheduling import systemd as timers
    from perfkit.scheduling.run import utc_now
    from perfkit.scheduling.state import StateFolder

    _one_of(systemd, cron)
    scheduled = _entry(file, name)
    if systemd:
        scope: timers.Scope = "system" if system else "user"
        where = folder or timers.UNIT_FOLDERS[scope]
        for unit in timers.units(scheduled, scope):
            typer.echo(f"── {where / unit.name}\n{unit.text}")
        _ask("Write these files?", yes)
        StateFolder(scheduled.state).begin(utc_now())
        notes = timers.install_units(scheduled, scope, where)
    else:
        lines = crontab.cron_lines(scheduled, crontab.local_zone())
        table = crontab.crontab_with(crontab.read_crontab(), scheduled, lines)
        typer.echo("\n".join(lines))
        _ask("Write these lines into your crontab?", yes)
        StateFolder(scheduled.state).begin(utc_now())
        crontab.write_crontab(table)
        notes = ["wrote the crontab"]
    for note in notes:
        remark(note)


@app.command("uninstall")
def uninstall(
    name: Name,
    file: File = FILE,
    systemd: Systemd = False,
    cron: Cron = False,
    system: System = False,
    folder: Folder = None,
    yes: Yes = False,
) -> None:
    """Remove an entry from systemd or cron; its reports and its state stay.

    For example:

        perfkit schedule uninstall nightly --systemd
    """
    from perfkit.scheduling import crontab
    from perfkit.scheduling import systemd as timers

    _one_of(systemd, cron)
    scheduled = _entry(file, name)
    if sys.stdin.isatty():  # where nobody can answer nothing is lost: install writes it again
        _ask(f"Take {name} away from {'systemd' if systemd else 'cron'}?", yes)
    if systemd:
        scope: timers.Scope = "system" if system else "user"
        notes = timers.uninstall_units(scheduled, scope, folder or timers.UNIT_FOLDERS[scope])
    else:
        before = crontab.read_crontab()
        after = crontab.crontab_with(before, scheduled, [])
        notes = []
        if after != before:
            crontab.write_crontab(after)
            notes = ["removed the lines from the crontab"]
    for note in notes or [f"{name}: is not installed there"]:
        remark(note)


@app.command("daemon")
def daemon(file: File = FILE) -> None:
    """Run the schedule in this process, where there is neither systemd nor cron: a container.

    Ctrl-C or SIGTERM ends it and cleanly stops what is running. Of several missed slots only the
    newest is made up for.

    For example:

        perfkit schedule daemon --file nightly/schedule.yml
    """
    from perfkit.scheduling.daemon import serve
    from perfkit.scheduling.schedule_file import open_schedule

    with contextlib.suppress(KeyboardInterrupt):  # that is how a daemon is ended
        serve(open_schedule(file))


@app.command("index")
def index(file: File = FILE) -> None:
    """Write the index page of all reports again (every run does so too).

    For example:

        perfkit schedule index
    """
    from perfkit.scheduling.index import write_index
    from perfkit.scheduling.schedule_file import open_schedule

    for root in dict.fromkeys(entry.root for entry in open_schedule(file)):
        if not root.is_dir():
            raise UsageError(f"{root}: there is no report yet")
        typer.echo(str(write_index(root)))


@app.command("prune")
def prune(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One entry only.")] = None,
    file: File = FILE,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
) -> None:
    """Remove what the entries no longer keep, and say why (every run does so too).

    The baseline is never removed, nor anything that a kept report rests on.

    For example:

        perfkit schedule prune --dry-run

        perfkit schedule prune nightly
    """
    from perfkit.scheduling import retention
    from perfkit.scheduling.run import utc_now
    from perfkit.scheduling.schedule_file import chosen
    from perfkit.scheduling.state import StateFolder

    for entry in chosen(file, name):
        store = StateFolder(entry.state)
        with contextlib.nullcontext() if dry_run else store.locked():
            do = retention.going if dry_run else retention.prune
            for item in do(entry, store.load(), utc_now()):
                typer.echo(f"{entry.name}: {'would remove' if dry_run else 'removed'} {item}")


@app.command("schema")
def schema() -> None:
    """Print the JSON schema of schedule files, for editors that complete and check YAML.

    For example:

        perfkit schedule schema > schedule.schema.json
    """
    from perfkit.scheduling.schedule_file import ScheduleModel

    typer.echo(json.dumps(ScheduleModel.model_json_schema(), indent=2))


def _entry(file: Path, name: str) -> Scheduled:
    from perfkit.scheduling.schedule_file import chosen

    return chosen(file, name)[0]


def _moment(text: str | None, scheduled: Scheduled) -> dt.datetime | None:
    if text is None:
        return None
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--at {text!r}: write it as 2026-11-21T06:00") from None
    if moment.tzinfo is None:
        from perfkit.scheduling.calendar import moment_of

        return moment_of(moment, scheduled.zone)
    return moment.astimezone(dt.UTC)


def _one_of(systemd: bool, cron: bool) -> None:
    if systemd == cron:
        raise UsageError("say --systemd or --cron")


def _ask(question: str, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nothing is written without an answer: add --yes")
    typer.confirm(question, abort=True)


def _as_json(entry: Overview) -> dict[str, object]:
    return {
        "name": entry.scheduled.name,
        "study": str(entry.scheduled.study),
        "timezone": entry.scheduled.zone.key,
        "next": entry.next and entry.next.isoformat(),
        "running": entry.busy,
        "past": [{**run.record(), "slot": run.slot} for run in entry.past],
        "set_aside": list(entry.refused.values()),
    }


def _show(found: list[Overview]) -> None:
    from rich.console import Console

    from perfkit.cli.show import schedule_table

    console = Console()
    for entry in found:
        console.print(schedule_table(entry))
        for item in entry.refused.values():
            console.print(
                f"set aside until it is replaced: {item['file']}: {item['reason']}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
