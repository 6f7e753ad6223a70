"""Work spread over processes: the same results and errors as in one process, whoever did it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from perfkit.sources.processes import _Pieces, spread

HERE = __name__
"""This module, by which a worker finds the functions below: it has the same sys.path."""


def square(item, shared):
    return item * item + shared, os.getpid()


def square_beside(item, shared):
    """As ``square``; the process that asked waits until another one has taken a piece."""
    own, mark = shared
    if os.getpid() != own:
        mark.touch()
    for _ in range(600):
        if mark.exists():
            break
        time.sleep(0.1)
    return square(item, 7)


def odd_only(item, _shared):
    if item % 2 == 0:
        raise ValueError(item)
    return item


def elsewhere_fatal(item, own):
    """Kills any process but the one that asked."""
    if os.getpid() != own:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return item


def fatal_here(item, shared):
    """An error in the process that asked, which notes the item; any other one does nothing."""
    own, folder = shared
    if os.getpid() == own:
        (folder / str(item)).touch()
        raise ValueError(item)


def noisy(item, shared):
    """As ``square_beside``, after a C library has written to standard output."""
    os.write(1, b"printed by a library\n")
    return square_beside(item, shared)


def test_results_are_in_order_and_by_more_than_one_process(tmp_path):
    shared = (os.getpid(), tmp_path / "another")
    found = spread(f"{HERE}:square_beside", range(80), shared, processes=2)
    assert [value for value, _ in found] == [item * item + 7 for item in range(80)]
    assert len({pid for _, pid in found}) == 2
    assert os.getpid() in {pid for _, pid in found}


def test_one_process_is_asked_for_one():
    assert {pid for _, pid in spread(f"{HERE}:square", range(80), 0, processes=1)} == {os.getpid()}


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_the_error_is_that_of_the_first_item(processes):
    """Whichever process meets which error first."""
    items = [1, 3, 5, 8, 10, *range(11, 200)]
    with pytest.raises(ValueError, match=r"^8$"):
        spread(f"{HERE}:odd_only", items, None, processes)


def test_an_error_ends_the_work(tmp_path):
    """Nothing more is read where the results will be thrown away."""
    with pytest.raises(ValueError, match=r"^\d+$") as caught:
        spread(f"{HERE}:fatal_here", range(200), (os.getpid(), tmp_path), processes=2)
    assert [path.name for path in tmp_path.iterdir()] == [str(caught.value)]


@pytest.mark.slow
def test_what_a_killed_worker_left_is_done_here():
    items = list(range(300))
    assert spread(f"{HERE}:elsewhere_fatal", items, os.getpid(), processes=2) == items


def test_what_a_library_prints_does_not_go_among_the_results(capfd, tmp_path):
    shared = (os.getpid(), tmp_path / "another")
    found = spread(f"{HERE}:noisy", range(40), shared, processes=2)
    assert [value for value, _ in found] == [item * item + 7 for item in range(40)]
    assert len({pid for _, pid in found}) == 2  # the worker's own results came through


def test_a_worker_that_cannot_start_is_done_without(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert spread(f"{HERE}:odd_only", range(1, 80, 2), None, processes=3) == list(range(1, 80, 2))


@pytest.mark.slow
def test_no_worker_is_left():
    """After the work, and after an error, this process has no child."""
    code = (
        "import os, sys; from perfkit.sources.processes import spread; "
        f"sys.path.insert(0, {str(Path(__file__).parent)!r}); "
        f"spread('{HERE}:square', range(60), 0, 3)\n"
        f"try: spread('{HERE}:odd_only', range(60), 0, 3)\n"
        "except ValueError: pass\n"
        "try: os.waitpid(-1, os.WNOHANG)\n"
        "except ChildProcessError: print('none')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "none\n"


def test_each_piece_is_taken_once():
    pieces = _Pieces(range(100), 2)
    first = iter(pieces)
    taken = [next(first), *iter(pieces)]
    assert taken == list(range(len(pieces.items)))
    assert [item for piece in pieces.items for item in piece] == list(range(100))
