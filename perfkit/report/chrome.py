"""A headless Chrome page driven over its debugging pipe: commands, answers, events, deadlines.

The Chrome DevTools Protocol is JSON messages ended by a zero byte on file descriptors 3 and 4
(https://chromedevtools.github.io/devtools-protocol/). Chrome ends by itself when the pipe closes,
so it never outlives this process. No network port is opened.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any, Self

from perfkit.errors import MissingPartError, ReportError

CHROME_CURE = (
    "Debian: apt-get install chromium-headless-shell; Fedora: dnf install chromium-headless; "
    "macOS: install Google Chrome; or set BROWSER_PATH; or make setup"
)

_NAMES = (
    "chromium-headless-shell", "chrome-headless-shell", "headless_shell", "chromium",
    "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge",
    "microsoft-edge", "brave-browser",
)  # fmt: skip
_PLACES = (
    "/usr/lib64/chromium-browser/headless_shell",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
)

_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
    "--no-default-browser-check", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-breakpad", "--mute-audio",
    "--disable-dev-shm-usage", "--disable-default-apps", "--metrics-recording-only",
    "--hide-scrollbars", "--force-color-profile=srgb", "--allow-file-access-from-files",
)  # fmt: skip

# The shell moves its own standard streams to where Chrome wants the pipe; nothing is forked in
# this process beyond what subprocess does, so it is safe from any thread.
_MOVE_PIPES = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null'

CLOSE_S = 3.0
"""How long Chrome gets to end by itself."""


def find_chrome() -> Path:
    """A Chrome or Chromium: BROWSER_PATH, then the usual names and places.

    Raises MissingPartError with the cure when there is none.
    """
    asked = os.environ.get("BROWSER_PATH")
    if asked:
        if not os.access(asked, os.X_OK):
            raise MissingPartError(f"BROWSER_PATH={asked}: there is no such program; {CHROME_CURE}")
        return Path(asked)
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    for place in _PLACES:
        if os.access(place, os.X_OK):
            return Path(place)
    raise MissingPartError(f"charts need Chrome or Chromium, and there is none. {CHROME_CURE}")


class Page:
    """One page in one Chrome. Every call has a deadline and raises ReportError when it passes."""

    def __init__(self, *, program: Path | None = None, width: int = 1200, height: int = 900):
        self._folder = Path(tempfile.mkdtemp(prefix="perfkit-chrome-"))
        self.events: deque[dict[str, Any]] = deque(maxlen=10_000)
        self._answers: dict[int, dict[str, Any]] = {}
        self._count, self._rest, self._session = 0, b"", ""
        try:
            self._start(program or find_chrome(), width, height)
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    def _start(self, program: Path, width: int, height: int) -> None:
        read_end, self._write = os.pipe()
        self._read, write_end = os.pipe()
        argv = [str(program), *_ARGUMENTS, f"--window-size={width},{height}"]
        argv.append(f"--user-data-dir={self._folder}")
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _MOVE_PIPES, "perfkit", *argv],
                stdin=read_end,
                stdout=write_end,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(read_end)
            os.close(write_end)
        try:
            self._attach()
        except BaseException:
            self.close()
            raise

    def _attach(self) -> None:
        target = self.send("Target.createTarget", {"url": "about:blank"}, deadline_s=30)
        attached = self.send(
            "Target.attachToTarget", {"targetId": target["targetId"], "flatten": True}
        )
        self._session = attached["sessionId"]
        self.send("Page.enable")
        self.send("Runtime.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def send(
        self, method: str, params: dict[str, Any] | None = None, *, deadline_s: float = 30
    ) -> dict[str, Any]:
        """Send a command and wait for its answer; what else arrives is kept in ``events``.

        Raises ReportError: refused by Chrome, no answer in time, or Chrome has ended.
        """
        self._count += 1
        number = self._count
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if self._session:
            message["sessionId"] = self._session
        end = time.monotonic() + deadline_s
        self._write_all(json.dumps(message).encode() + b"\0", end)
        while number not in self._answers:
            self.pump(end, method)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise ReportError(f"Chrome refused {method}: {answer['error'].get('message')}")
        result: dict[str, Any] = answer["result"]
        return result

    def evaluate(self, expression: str, *, deadline_s: float = 30) -> Any:
        """The JSON value of a JavaScript expression, awaited if it is a promise."""
        params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        answer = self.send("Runtime.evaluate", params, deadline_s=deadline_s)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            text = details.get("exception", {}).get("description") or details.get("text")
            raise ReportError(f"JavaScript in Chrome: {str(text).splitlines()[0]}")
        return answer["result"].get("value")

    def open(self, url: str, *, deadline_s: float = 30) -> None:
        """Open an address and wait until it has loaded."""
        self.events.clear()
        self.send("Page.navigate", {"url": url}, deadline_s=deadline_s)
        end = time.monotonic() + deadline_s
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.pump(end, f"loading {url}")

    def pump(self, end: float, waiting_for: str) -> None:
        """Take in what Chrome has to say, or fail when the clock passes ``end``."""
        left = end - time.monotonic()
        if left <= 0 or not select.select([self._read], [], [], left)[0]:
            raise ReportError(f"Chrome gave no answer in time ({waiting_for})")
        block = os.read(self._read, 1 << 20)
        if not block:
            raise ReportError(f"Chrome ended while it was needed ({waiting_for})")
        *messages, self._rest = (self._rest + block).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self.events.append(message)

    def _write_all(self, data: bytes, end: float) -> None:
        os.set_blocking(self._write, False)
        view = memoryview(data)
        while view:
            left = end - time.monotonic()
            if left <= 0 or not select.select([], [self._write], [], left)[1]:
                raise ReportError("Chrome takes no commands")
            try:
                view = view[os.write(self._write, view) :]
            except BrokenPipeError as problem:
                raise ReportError("Chrome has ended") from problem

    def close(self) -> None:
        """End Chrome and remove its files; never raises: a finished report stays finished."""
        with contextlib.suppress(OSError):
            os.close(self._write)
        with contextlib.suppress(OSError):
            os.close(self._read)
        try:
            self._process.wait(CLOSE_S)
        except subprocess.TimeoutExpired:
            self._kill()
        # helpers of Chrome may outlive it for a moment and write into its folder
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSE_S)
