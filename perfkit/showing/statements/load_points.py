"""What a run says of its host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from perfkit.analysis.curves.series import require_rows
from perfkit.core.lineage import Measured, step
from perfkit.core.units import format_size
from perfkit.showing.sentences import Text

if TYPE_CHECKING:
    from perfkit.core.values import Statement


HOST = "host"
"""The id of what is said of a host."""


@step(version=2, name="say.host")
def say_host(host: Measured) -> Statement:
    """What the load ran on, from the run's ``host`` facts; a fact that is missing is left out."""
    rows = require_rows(host, "host", ("group", "fact", "value"), "nothing to say")
    facts = {(row["group"], row["fact"]): row["value"] for row in rows if row["value"]}
    text = Text()
    threads = facts.get(("host", "cpu_threads"))
    memory = facts.get(("host", "memory_bytes"))
    parts = [
        _known(text, "{} logical CPUs" if threads != "1" else "{} logical CPU", threads),
        _known(text, "({})", facts.get(("host", "cpu_model"))),
        _known(text, "and {} of memory", format_size(int(memory)) if memory else None),
        _known(text, "under {}", facts.get(("host", "os"))),
        _known(text, "with kernel {}", facts.get(("host", "kernel"))),
    ]
    known = " ".join(part for part in parts if part)
    if not known:
        return text.done(HOST, ["The facts of the host were not recorded."])
    virtual = facts.get(("host", "virtual_machine"), "").lower() == "true"
    return text.done(
        HOST, [f"The load ran on {'a virtual machine' if virtual else 'a host'} with {known}."]
    )


def _known(text: Text, words: str, fact: str | None) -> str:
    return words.format(text(fact)) if fact else ""
