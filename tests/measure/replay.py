#!/usr/bin/env python3
"""A load generator for tests only: it puts recorded files in place, at the pace of the recording.

``replay.json`` beside it says how: the folder of recordings, how fast time runs, and for a phase
(layout, read, mixed) another exit code, words on stderr, or which files to leave out.
"""

import json
import signal
import sys
import time
from itertools import pairwise
from pathlib import Path

FILES = {
    "--jsonfile": "elbencho.json", "--csvfile": "elbencho.csv", "--livecsv": "live.csv",
    "--resfile": "elbencho.txt",
}  # fmt: skip


def phase(arguments):
    if "--infloop" not in arguments:
        return "layout"
    return "mixed" if "--rwmixpct" in arguments else "read"


def play(arguments, plan):
    what = phase(arguments)
    how = plan.get(what, {})
    recorded = Path(plan["recordings"]) / what
    given = dict(pairwise(arguments))
    signal.signal(signal.SIGINT, lambda *_: sys.exit(1))
    with Path(given["--livecsv"]).open("w", encoding="utf-8") as live:
        for number, line in enumerate((recorded / "live.csv").read_text().splitlines(True)):
            live.write(line)
            live.flush()
            if number:
                time.sleep(0.5 * plan["pace"])
    if what == "layout":
        with Path(arguments[-1]).open("r+b") as target:
            target.write(bytes([1]) * int(given["--size"]))
    sys.stderr.write(how.get("stderr", ""))
    for name, file in FILES.items():
        if file not in how.get("without", []) and file != "live.csv":
            Path(given[name]).write_bytes((recorded / how.get(file, file)).read_bytes())
    return how.get("exit", 0)


if __name__ == "__main__":
    if "--version" in sys.argv:
        print("elbencho\n * Version: 3.1-10")
        sys.exit(0)
    sys.exit(play(sys.argv[1:], json.loads(Path(__file__).with_name("replay.json").read_text())))
