"""Answers as a store keeps them: one value a night of each series, with what was recorded beside.

Imports nothing of perfkit: it is the oracle of the histories.
"""

import json
import random
from datetime import datetime, timedelta

BEGIN = datetime(2026, 1, 1, 2)  # noqa: DTZ001
NIGHT = timedelta(days=1)


def values(count, *, level=100_000.0, spread=0.02, shifts=(), seed=1):
    """Values of so many nights: levels that change by a factor at a place, with noise on logs."""
    noise = random.Random(seed)
    factors = dict(shifts)
    found = []
    for place in range(count):
        level *= factors.get(place, 1.0)
        found.append(level * 2.718281828459045 ** noise.gauss(0, spread))
    return found


def answer(
    value,
    place,
    *,
    question="peak_iops",
    metric="iops",
    unit="1/s",
    subject="oltp",
    conditions=None,
    facts=None,
    time=None,
    name=None,
    status="measured",
    relation="=",
    asked=(),
    key=None,
    labels=None,
    cautions=None,
):
    """One answer of one run; ``value`` None: it is missing."""
    at = BEGIN + place * NIGHT if time is None else time
    own = [["system", "a400"], ["workload", subject]] if key is None else key
    return {
        "piece": f"{place:064x}", "claim": 1, "part": "claim", "question": question,
        "metric": metric, "subject": subject, "system": "a400", "config": None,
        "workload": subject, "load_kind": None, "direction": None, "host": None, "against": None,
        "conditions": json.dumps(list(asked)) if asked else None, "value": value,
        "unit": unit if value is not None else None, "low": None, "high": None, "level": None,
        "n": 1, "relation": relation, "status": "missing" if value is None else status,
        "reason": None, "method": "as forged", "cautions": cautions,
        "key": json.dumps([own, None]), "inputs": None, "time": at if time != "none" else None,
        "conditions_key": json.dumps(conditions or {"block_size_bytes": 8192}, sort_keys=True),
        "facts": json.dumps(facts or {}, sort_keys=True), "name": name or f"night-{place:03d}",
        "kind": "fio", **{f"label_{label}": text for label, text in (labels or {}).items()},
    }  # fmt: skip


def nights(found, **more):
    """An answer for each value; what is a function in ``more`` is called with the place."""
    return [
        answer(value, place, **{name: item(place) if callable(item) else item
                                for name, item in more.items()})
        for place, value in enumerate(found)
    ]  # fmt: skip
