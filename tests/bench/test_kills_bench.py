"""Two hundred sweeps struck at random moments, each resumed and looked through."""

from __future__ import annotations

import collections
import os
import shutil

from sweep_kills import NOT_DONE, kill_and_exchange, kill_and_resume

KILLS = int(os.environ.get("PERFKIT_KILLS", "200"))


def test_sweeps_struck_at_random_moments(tmp_path):
    """Every resumed run is complete and valid, no point twice, no tool left at work."""
    seen = collections.Counter()
    for seed in range(1000, 1000 + KILLS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        how, early, kept = kill_and_resume(folder, seed)
        seen[str(getattr(how, "name", how))] += 1
        seen["before the end"] += early
        seen["with points kept"] += kept > 0
        shutil.rmtree(folder)
    print(f"\nkills: {KILLS} sweeps of 4 points struck and resumed, all complete; {dict(seen)}")


def test_files_exchanged_at_random_moments(tmp_path):
    """A stranger's file in our place, mostly after a kill: none of their bytes is changed."""
    seen, done, seed = collections.Counter(), 0, 5000
    while done < KILLS:
        folder = tmp_path / str(seed)
        folder.mkdir()
        trick, killed = kill_and_exchange(folder, seed)
        seen[trick] += 1
        seen["after a kill"] += killed and trick != NOT_DONE
        # only what was really done counts
        done, seed = done + (trick != NOT_DONE), seed + 1
        shutil.rmtree(folder)
        assert seed < 5000 + 4 * KILLS, f"done only {done} times: {dict(seen)}"
    print(
        f"\nexchanged: {done} times in {seed - 5000} sweeps, 0 bytes of the user's changed, 0 "
        f"false points accepted; {dict(seen)}"
    )
