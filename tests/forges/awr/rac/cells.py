"""What all tables of RAC-global reports share: instance numbers, rows Sum, Avg and Std."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from forges.awr.content import Content, Instance, spread
from forges.awr.html import escaped
from forges.awr.printing import Shown
from forges.awr.sheet import Line


def number(value: int | str) -> Shown:
    """An instance number, or * for the cluster."""
    return Shown(str(value))


def hidden(shown: Shown) -> Shown:
    """A value that the page repeats but hides: it is in the file, inside a div."""
    return Shown(f'<div class="hidden">   {escaped(shown.text)}</div>', shown.says)


def level(instance: Instance | None) -> dict[str, object]:
    """Whose row it is."""
    if instance is None:
        return {"level": "cluster", "instance": None}
    return {"level": "instance", "instance": instance.number}


def by_instance(
    content: Content, values: Callable[[Instance], Sequence[Decimal | None]],
    show: Callable[[Decimal | None], Shown], names: Sequence[str],
) -> tuple[Line, ...]:  # fmt: skip
    """One row an instance, and the rows ``names`` (Sum, Avg, Std) that stand below several."""
    rows = [(instance, list(values(instance))) for instance in content.instances]
    lines = [
        Line([number(instance.number), *(show(value) for value in row)], level(instance))
        for instance, row in rows
    ]
    if len(rows) == 1:
        return tuple(lines)
    columns = list(zip(*(row for _, row in rows), strict=True))
    for name in names:
        cells = [show(_statistic(name, column)) for column in columns]
        lines.append(Line([Shown(name), *cells], total=name == "Sum", said=()))
    return tuple(lines)


def _statistic(name: str, column: Sequence[Decimal | None]) -> Decimal | None:
    known = [value for value in column if value is not None]
    if not known:
        return None
    mean, _, _, deviation = spread(known)
    return {"Sum": sum(known, Decimal(0)), "Avg": mean, "Std": deviation}[name]
