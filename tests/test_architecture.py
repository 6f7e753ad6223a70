"""docs/architecture.md says what the house is like: its rooms, and who imports whom."""

from __future__ import annotations

import re

from places import ROOT
from test_house import PACKAGE, imports, modules

TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = {
    name: set(re.findall(r"`(\w+)`", others))
    for name, others in re.findall(r"^\| `(\w+)` \|[^|]+\|([^|]*)\|$", TEXT, re.M)
}


def test_every_room_is_named_with_what_it_imports():
    found: dict[str, set[str]] = {path.name: set() for path in PACKAGE.iterdir() if path.is_dir()}
    for path in modules():
        room = path.relative_to(PACKAGE).parts[0]
        if room in found:
            found[room] |= imports(path) - {room, "_version"}
    found = {room: others for room, others in found.items() if any((PACKAGE / room).glob("*.py"))}
    assert found == ROOMS


def test_no_room_imports_one_that_stands_below_it():
    order = list(ROOMS)
    assert all(order.index(other) < order.index(room) for room in ROOMS for other in ROOMS[room])


def test_every_place_that_it_names_is_there():
    named = set(re.findall(r"`([a-z_]+/[\w/.]+)`", TEXT))
    assert len(named) > 40
    assert {
        name for name in named if not ((ROOT / name).exists() or (PACKAGE / name).exists())
    } == set()
