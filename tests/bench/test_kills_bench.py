"""Two hundred sweeps struck at random moments, each resumed and looked through."""

from __future__ import annotations

import collections
import os
import shutil

from sweep_kills import kill_and_resume

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
