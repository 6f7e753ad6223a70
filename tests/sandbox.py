"""A folder with evidence of our own, as the documentation names it; its commands run there."""

from __future__ import annotations

import contextlib
import re
import shlex
import shutil
import tarfile
from pathlib import Path

import typer
import typst
from forges import awr, genio, ranread
from forges.sas import Log, Step
from places import ROOT

from perfkit.cli.app import app, run

FIO = ROOT / "tests/data/fio"
RUN = next((ROOT / "tests/data/old/0.1/runs").iterdir())

ONLY_PARSED = ("run", "mark", "hosts", "schedule", "lab", "report", "compare")
"""Commands that measure, reach other hosts, stay, or take long."""

PLACEHOLDERS = {"FOLDER": "results/", "KIND": "fio", "A": "runs/a400", "B": "runs/a800"}


def make(folder: Path) -> None:
    """Write what commands and Python of the documentation name."""
    for name in ("results", "awr", "logs", "genio", "ranread", "runs"):
        (folder / name).mkdir()
    for name in ("randread_libaio_qd16.json", "randread_psync.json"):
        shutil.copy(FIO / name, folder / "results")
    shutil.copy(FIO / "rw75_jsonplus.json", folder / "result.json")
    for number, name in enumerate(("before.html", "after.html")):
        content = awr.sample(7 + number)
        (folder / "awr" / name).write_bytes(awr.forge(content, "html-19c").data)
    with tarfile.open(folder / "awr.tar.xz", "w:xz") as archive:
        archive.add(folder / "awr", "awr")
    for name in ("monday.log", "tuesday.log"):
        (folder / "logs" / name).write_bytes(Log([Step(), Step("SORT")]).data())
    shutil.copy(folder / "logs/monday.log", folder / "big.log")
    genio.ramp(folder / "genio", 4784, cases=("policy",), runs=12)
    runs = next(iter(genio.cluster(4784, runs=3).values()))
    form = genio.Form(separator=";", decimal=",")
    (folder / "summary.csv").write_text(genio.summary(runs, form), encoding="utf-8")
    ranread.write(folder / "ranread", 300, repeats=2)
    for name in ("a400", "a800"):
        shutil.copytree(RUN, folder / "runs" / name)
    shutil.copytree(RUN, folder / "data/runs" / RUN.name)
    for name in ("studies", "target"):
        # not the files that a measurement from this checkout left
        left = shutil.ignore_patterns("perfkit-*")
        shutil.copytree(ROOT / "data" / name, folder / "data" / name, ignore=left)
    (folder / "report.md").write_text("| a | b | sum |\n|---|---|---|\n| 1 | 2 | 3 |\n")
    shutil.copy(folder / "logs/monday.log", folder / "sample.txt")
    (folder / "dd.txt").write_text(
        "100+0 records out\n104857600 bytes (105 MB, 100 MiB) copied, 0.0270 s, 3.9 GB/s\n"
    )
    typst.compile(b"#table(columns: 3)[a][b][sum][1][2][3]", output=str(folder / "paper.pdf"))


def commands(text: str) -> list[list[str]]:
    """The perfkit commands of some lines, each as its words, up to a pipe, ``&&`` or comment."""
    found = []
    for line in text.splitlines():
        words = shlex.split(line.strip(), comments=True)
        while words[:1] == ["perfkit"]:
            ends = [place for place, word in enumerate(words) if word in {"|", "&&", ">"}]
            end = ends[0] if ends else len(words)
            found.append([PLACEHOLDERS.get(word, word) for word in words[1:end] if word != "..."])
            words = words[end + 1 :]
    return found


def parse(words: list[str]) -> None:
    """Let typer parse a command; raises for a command, option or number of arguments it has not."""
    command, parent = typer.main.get_command(app), None
    while hasattr(command, "commands"):
        parent = command.make_context(command.name, list(words), parent=parent)
        name, command, words = command.resolve_command(parent, list(words))
        assert name
    command.make_context(command.name, list(words), parent=parent)


def call(words: list[str], folder: Path) -> int:
    """Run a command in a folder, stars as a shell would have them; returns its exit code."""
    with contextlib.chdir(folder):
        stars = [
            sorted(map(str, Path().glob(word))) if "*" in word and " " not in word else [word]
            for word in words  # one with blanks stands in quotes
        ]
        return run([word for several in stars for word in several])


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)
