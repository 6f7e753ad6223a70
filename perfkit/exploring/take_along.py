"""What a user takes from a choice: a study with its report, pictures, parameters and code."""

from __future__ import annotations

import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from perfkit.core.errors import ReportError, StudyError
from perfkit.core.files import write_whole
from perfkit.core.values import REPORT_ENDINGS, Figure
from perfkit.exploring.answer import Choice
from perfkit.exploring.choices import ALIGN, Offers
from perfkit.formats import yaml_file

Parameters = dict[str, Any]
"""A choice as parameters of the notebook ``compare``."""

CHOSEN = frozenset({
    "event", "direction", "metric", "baseline", "systems", "workload", "limit_us", "allow",
})  # fmt: skip
"""Parameters that a choice decides, whether it names them or not."""

CRITERIA_FAILED = 3
"""The exit code of a report that was made, of which a criterion failed."""


def write_study(study: Path, given: Parameters) -> Path:
    """The study of a choice, beside the one it was made from: ``study-choice.yml``.

    All else is as it was, with its comments. A choice that was written before is found again;
    another one gets the next number. What a choice does not ask (the loads of one made at equal
    latency) stays as the study has it; an abstract with places of sentences goes.

    Args:
        study: The study that was explored.
        given: The choice as parameters of the notebook ``compare``.

    Raises StudyError where the file cannot be read or written.
    """
    from ruamel.yaml import YAML

    document = yaml_file.load(study)
    kept = {
        name: value
        for name, value in dict(document.get("parameters") or {}).items()
        if name not in CHOSEN
    }
    document["parameters"] = {**kept, **given}
    document["notebook"] = "compare"
    if "{{" in (document["report"].get("abstract") or ""):
        del document["report"]["abstract"]  # its sentences may be none of this choice
    text = io.StringIO()
    writer = YAML(typ="rt")
    writer.width = 10_000
    writer.dump(document, text)
    path = _free(study, text.getvalue())
    try:
        write_whole(path, text.getvalue())
    except OSError as problem:
        raise StudyError(path, f"cannot be written: {problem.strerror or problem}") from problem
    return path


def _free(study: Path, text: str) -> Path:
    number = 1
    while True:
        ending = "" if number == 1 else f"-{number}"
        path = study.with_name(f"{study.stem}-choice{ending}.yml")
        if not path.exists() or path.read_text(encoding="utf-8") == text:
            return path
        number += 1


def make_report(
    study: Path, given: Parameters, folder: Path, say: Callable[[str], None]
) -> list[Path]:
    """Write the study of a choice and make its report, by ``perfkit report`` in its own process.

    Args:
        study: The study that was explored.
        given: The choice as parameters of the notebook ``compare``.
        folder: Where reports go: this one into a folder of the study's and the choice's name.
        say: Takes each line of what the command tells as it goes on.

    Returns:
        The PDF, the page and the executed notebook.

    Raises StudyError where the study cannot be written, ReportError where the command failed.
    """
    path = write_study(study, given)
    say(f"study: {path}")
    out = folder / f"{path.resolve().parent.name}-{path.stem}"
    command = [sys.executable, "-m", "perfkit", "report", str(path), "-o", str(out)]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        for line in process.stderr or ():
            say(line.rstrip())
    if process.returncode not in {0, CRITERIA_FAILED}:
        raise ReportError(f"the report was not made (exit code {process.returncode})")
    return sorted(
        (file for file in out.iterdir() if file.suffix in REPORT_ENDINGS),
        key=lambda file: REPORT_ENDINGS.index(file.suffix),
    )[::-1]


def save_pictures(figures: Sequence[Figure], folder: Path) -> list[Path]:
    """Each figure as SVG and PNG in a folder, named by its id. Raises as ``save_picture`` does."""
    from perfkit.reporting.write.picture_file import save_picture

    folder.mkdir(parents=True, exist_ok=True)
    return [
        save_picture(figure, folder / f"{figure.id}{ending}")
        for figure in figures
        for ending in (".svg", ".png")
    ]


def parameters(
    choice: Choice, values: tuple[float, ...], offers: Offers, event: str | None = None
) -> Parameters:
    """The choice as parameters of the notebook; what is as it would be anyway is left out.

    The values are those that were compared, so that the report asks the same where the panel took
    round ones.
    """
    align = ALIGN[choice.align]
    chosen = [choice.baseline, *choice.others]
    found: Parameters = {
        "event": event,
        "direction": None if choice.direction == "total" else choice.direction,
        "metric": None if choice.metric == "lat_mean_s" else choice.metric,
        "baseline": choice.baseline,
        "systems": None if set(offers.systems) <= set(chosen) else chosen,
        "workload": choice.workload,
        "limit_us": None if choice.limit_s is None else json.loads(written(choice.limit_s, 1e-6)),
        "allow": " ".join(choice.allow) or None,
    }
    if align.parameter is not None:
        texts = [written(value, align.scale) for value in values]
        found[align.parameter] = json.loads(texts[0]) if len(texts) == 1 else " ".join(texts)
    return {name: value for name, value in found.items() if value is not None}


def written(value: float, scale: float) -> str:
    """A value as people write it: 0.0004 s are 400 in microseconds."""
    return f"{value / scale:.12g}"


def as_yaml(given: Parameters) -> str:
    """For the study's ``parameters:``."""
    lines = [f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in given.items()]
    return "\n".join(["parameters:", *lines])


def as_command(given: Parameters, study: str) -> str:
    """The command that makes the report of this choice."""
    parts = [f"-p {shlex.quote(f'{name}={_argument(value)}')}" for name, value in given.items()]
    return " \\\n  ".join([f"perfkit report {shlex.quote(study)}", *parts])


def _argument(value: Any) -> str:
    """A value as ``-p`` reads it: JSON, and text as it stands unless it could be JSON."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    try:
        json.loads(value)
    except ValueError:
        return value
    return json.dumps(value, ensure_ascii=False)


def as_python(given: Parameters) -> str:
    """For a notebook of one's own: the same panel again."""
    arguments = "".join(f"\n    {name}={value!r}," for name, value in given.items())
    return f"pk.explore(\n    points,{arguments}\n)"
