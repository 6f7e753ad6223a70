"""Processes: they end in time, on a signal, and never outlive us."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from waiting import wait_for

from perfkit.core.errors import MissingPartError
from perfkit.measure import process as process_module
from perfkit.measure.process import Watch, held_signals, run_tool

pytestmark = pytest.mark.slow


def run(tmp_path, code, deadline_s=3600.0, tick=None, stop=None):
    files = {"stdout": tmp_path / "out", "stderr": tmp_path / "err"}
    argv = [sys.executable, "-S", "-c", code]
    watch = Watch(deadline_s, tick, 0.02)
    if stop is not None:
        return run_tool(argv, cwd=tmp_path, **files, watch=watch, stop=stop)
    with held_signals() as held:
        return run_tool(argv, cwd=tmp_path, **files, watch=watch, stop=held)
    return None


def test_exit_code_output_and_ticks(tmp_path):
    heard = []
    code = "import sys, time; time.sleep(.2); print('out'); sys.stderr.write('err'); sys.exit(3)"
    done = run(tmp_path, code, tick=heard.append)
    assert (done.exit_code, done.timed_out) == (3, False)
    assert (tmp_path / "out").read_text() == "out\n"
    assert (tmp_path / "err").read_text() == "err"
    assert len(heard) > 3
    assert heard == sorted(heard)


def test_a_hung_tool_is_stopped_at_its_deadline(tmp_path):
    done = run(tmp_path, "import time; time.sleep(60)", deadline_s=0.3)
    assert done.timed_out
    assert 0.3 <= done.wall_s < 30


def test_a_missing_program_is_a_missing_part(tmp_path):
    files = {"stdout": tmp_path / "out", "stderr": tmp_path / "err"}
    with held_signals() as stop, pytest.raises(MissingPartError, match="no-such-tool"):
        run_tool(["no-such-tool"], cwd=tmp_path, **files, watch=Watch(1), stop=stop)


def test_the_tool_hears_ctrl_c_even_where_a_shell_ignores_it(tmp_path):
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        code = "import signal; print(signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)"
        run(tmp_path, code)
    finally:
        signal.signal(signal.SIGINT, former)
    assert (tmp_path / "out").read_text() == "True\n"


def on_signs_of(folder, act):
    """A tick that calls ``act`` with each file that the tool makes, once it is there."""
    seen = set()

    def tick(_):
        for path in set(folder.glob("sign-*")) - seen:
            seen.add(path)
            act(path.name)

    return tick


def interrupt(_):
    os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_ends_the_tool_first_and_then_us(tmp_path):
    """The tool gets SIGINT and time to write; KeyboardInterrupt comes when it has ended."""
    code = (
        "import time\ntry:\n    open('sign-ready', 'w'); time.sleep(60)\n"
        "except KeyboardInterrupt:\n    time.sleep(.2); print('ended by myself')"
    )
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, code, tick=on_signs_of(tmp_path, interrupt))
    assert (tmp_path / "out").read_text() == "ended by myself\n"


def test_a_second_ctrl_c_does_not_wait(tmp_path, monkeypatch):
    """The tool hears the first one and goes on; the second one comes long before its time is up."""
    monkeypatch.setattr(process_module, "GRACE_S", 3600.0)
    code = (
        "import signal, time\n"
        "signal.signal(signal.SIGINT, lambda *_: open('sign-heard', 'w'))\n"
        "open('sign-ready', 'w')\n"
        "while True: time.sleep(60)"
    )
    done = threading.Event()

    def second():
        while not done.wait(0.02):
            if (tmp_path / "sign-heard").exists():
                interrupt(None)
                return

    other = threading.Thread(target=second)
    other.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path, code, tick=on_signs_of(tmp_path, interrupt))
    finally:
        done.set()
        other.join()


def test_the_tests_hear_ctrl_c_in_the_background_of_a_shell():
    """It starts them with SIGINT ignored (tests/conftest.py)."""
    one = f"{__file__}::test_ctrl_c_ends_the_tool_first_and_then_us"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", one],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    assert "1 passed" in done.stdout


def test_an_error_in_the_caller_does_not_leave_the_tool_behind(tmp_path):
    def fail(_):
        raise ZeroDivisionError

    code = (
        "import os, time; open('pid', 'w').write(str(os.getpid())); open('sign-ready', 'w'); "
        "time.sleep(60)"
    )

    with pytest.raises(ZeroDivisionError):
        run(tmp_path, code, tick=on_signs_of(tmp_path, fail))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_handlers_are_back_in_place_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    with held_signals():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_outside_the_main_thread_nothing_is_held_and_tools_run(tmp_path):
    results = []
    thread = threading.Thread(target=lambda: results.append(run(tmp_path, "print(1)")))
    thread.start()
    thread.join()
    assert results[0].exit_code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the parent-death signal is Linux's")
def test_the_tool_dies_with_a_parent_that_is_killed(tmp_path):
    """SIGKILL leaves us no chance to clean up: the kernel does it."""
    tool = "import os, time; open('pid', 'w').write(str(os.getpid())); time.sleep(60)"
    parent = (
        "import sys; from pathlib import Path\n"
        "from perfkit.measure.process import Watch, held_signals, run_tool\n"
        f"here = Path({str(tmp_path)!r})\n"
        "with held_signals() as stop:\n"
        f"    run_tool([sys.executable, '-S', '-c', {tool!r}], cwd=here, stdout=here / 'out',\n"
        "             stderr=here / 'err', watch=Watch(60), stop=stop)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", parent])
    file = tmp_path / "pid"
    wait_for(lambda: file.exists() and file.read_text())
    child = int(file.read_text())
    os.kill(child, 0)
    process.kill()
    process.wait()
    wait_for(lambda: not running(child))


def running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
