"""Compare the ratios of the last ``make bench`` with the last recorded ones.

    make bench bench-guard                       # 1 where a ratio is worse than recorded
    python tools/bench_guard.py --record         # what was measured is the new measure

Ratios are of one run on one machine (perfkit beside a bare tool), so that they can be compared
between machines; two runs of one of them still differ by some per cent, hence the tolerance.
"""

import json
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent / "tests/bench"
TOLERANCE = 0.25
"""A ratio may be worse than the recorded one by this share of it."""


def worse_by(now: dict, before: dict) -> float:
    """By which share a ratio is worse than the recorded one; negative where it is better."""
    if before["better"] == "lower":
        return now["ratio"] / before["ratio"] - 1
    return before["ratio"] / now["ratio"] - 1


def compared(measured: dict, recorded: dict) -> tuple[list[str], bool]:
    """A line on each ratio, and whether all that are recorded were measured and hold."""
    lines, good = [], True
    for name in sorted({*measured, *recorded}):
        now, before = measured.get(name), recorded.get(name)
        if before is None:
            lines.append(f"new      {name}: {now['ratio']:g} (record it with --record)")
        elif now is None:
            lines.append(f"MISSING  {name}: not measured; recorded {before['ratio']:g}")
            good = False
        else:
            share = worse_by(now, before)
            held = share <= TOLERANCE
            good = good and held
            lines.append(
                f"{'good    ' if held else 'WORSE   '} {name}: {now['ratio']:g}, recorded "
                f"{before['ratio']:g} ({before['better']} is better)"
            )
    return lines, good


def main(arguments: list[str], folder: Path = BENCH) -> int:
    """0 where all hold, 1 where one does not, 2 where nothing was measured."""
    measured_file, recorded_file = folder / "measured.json", folder / "recorded.json"
    if not measured_file.exists():
        print(f"{measured_file} is not there: make bench writes it")
        return 2
    measured = json.loads(measured_file.read_text())
    recorded = json.loads(recorded_file.read_text()) if recorded_file.exists() else {}
    if arguments == ["--record"]:
        text = json.dumps(recorded | measured, indent=1, sort_keys=True)
        recorded_file.write_text(text + "\n")
        print(f"recorded {len(measured)} ratios")
        return 0
    lines, good = compared(measured, recorded)
    print("\n".join(lines))
    print(f"{'good' if good else 'not good'}: a ratio may be worse by {TOLERANCE:.0%}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
