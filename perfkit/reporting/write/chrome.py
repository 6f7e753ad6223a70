"""A headless Chrome page: commands, answers, events, deadlines; choreographer speaks to Chrome.

choreographer (https://choreographer.readthedocs.io) starts Chrome and speaks the DevTools Protocol
over a pipe, in asyncio. Its event loop runs in a thread of the page, so that a page can be used
from any thread, also inside a running event loop (Jupyter). Chrome ends by itself when the pipe
closes, so it never outlives this process. No network port is opened.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import logging
import os
import shutil
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Coroutine, Mapping
from concurrent.futures import CancelledError, Future
from concurrent.futures import wait as wait_for
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, TypeVar

from perfkit.core.errors import MissingPartError, ReportError
from perfkit.core.files import Json

if TYPE_CHECKING:
    from choreographer import Browser, Tab

_T = TypeVar("_T")

CHROME_CURE = (
    "Debian: apt-get install chromium-headless-shell; Fedora: dnf install chromium-headless; "
    "macOS: install Google Chrome; or set BROWSER_PATH; or make parts"
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
    "--disable-background-networking", "--mute-audio", "--disable-default-apps",
    "--hide-scrollbars", "--force-color-profile=srgb",
)  # fmt: skip
"""What choreographer does not ask of Chrome itself."""

_NO_LOG = 'exec "$@" 2>/dev/null'

START_S = 30.0
"""How long Chrome gets to start."""

WATCH_S = 0.25
"""How soon the end of Chrome is noticed."""

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


def _browser(program: Path, folder: Path, size: tuple[int, int]) -> Browser:
    """A browser of choreographer with one page of our own, our arguments, and no log."""
    import choreographer
    from choreographer.browsers import Chromium

    logging.getLogger("choreographer").setLevel(logging.CRITICAL + 1)  # our errors tell it

    class Quiet(Chromium):  # type: ignore[misc]
        def pre_open(self) -> None:
            # the page removes its folder, after Chrome: at exit choreographer would do so before
            self.tmp_dir = SimpleNamespace(path=folder, clean=lambda: None)

        def get_cli(self) -> list[str]:
            own = [*_ARGUMENTS, f"--window-size={size[0]},{size[1]}"]
            return ["/bin/sh", "-c", _NO_LOG, "perfkit", *super().get_cli(), *own]

    class OnePage(choreographer.Browser):  # type: ignore[misc]
        async def populate_targets(self) -> None:
            # a thread reads Chrome's log from this pipe, and Python waits for it at its end, for
            # ever if Chrome hangs: let it end now
            with Path(os.devnull).open("wb") as nothing:
                os.dup2(nothing.fileno(), self._logger_pipe)
            # a headless shell opens no page by itself, and would be asked for one for two seconds
            await self.create_tab("about:blank")

        async def _watchdog(self) -> None:
            # choreographer's own holds warnings.catch_warnings() while Chrome lives, and gives all
            # threads the filters of its start again when Chrome ends
            while self.subprocess.poll() is None:
                await asyncio.sleep(WATCH_S)
            self._watch_dog_task = None
            await self.close()

    return OnePage(program, browser_cls=Quiet, enable_extensions=False)


class Page:
    """One page in one Chrome. Every call has a deadline and raises ReportError when it passes."""

    def __init__(self, *, program: Path | None = None, width: int = 1200, height: int = 900):
        chosen = program or find_chrome()
        self.events: deque[Json] = deque(maxlen=10_000)
        self._browser: Browser | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="perfkit-chrome-"))
        atexit.register(self._abandon)
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda *_: None)  # what fails is told by the calls
        self._thread = threading.Thread(target=self._loop.run_forever, name="chrome", daemon=True)
        self._thread.start()
        try:
            self._tab = self._wait(self._start(chosen, (width, height)), START_S, "its start")
            self.send("Page.enable")
            self.send("Runtime.enable")
        except BaseException:
            self.close()
            raise

    async def _start(self, program: Path, size: tuple[int, int]) -> Tab:
        self._browser = _browser(program, self._folder, size)
        await self._browser.open()
        tab = self._browser.get_tab()
        if tab is None:
            raise ReportError("Chrome opened no page")
        tab.subscribe("*", self._keep)
        return tab

    async def _keep(self, event: Any) -> None:
        self.events.append(event)

    @property
    def pid(self) -> int | None:
        """The leader of Chrome's process group; None before it has been started."""
        process = getattr(self._browser, "subprocess", None)
        return None if process is None else int(process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, work: Coroutine[Any, Any, _T], deadline_s: float, what: str) -> _T:
        """The result of asynchronous work. The clock is outside: the loop itself may be stuck."""
        if self._loop.is_closed():
            work.close()
            raise ReportError(f"Chrome has been closed ({what})")
        future: Future[_T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(deadline_s)
        except TimeoutError as problem:
            future.cancel()
            raise ReportError(f"Chrome gave no answer in time ({what})") from problem
        except (CancelledError, RuntimeError, OSError) as problem:  # choreographer's are these
            raise ReportError(f"Chrome ended while it was needed ({what})") from problem

    def send(
        self, method: str, params: Mapping[str, Any] | None = None, *, deadline_s: float = 30
    ) -> Json:
        """Send a command and wait for its answer; what else arrives is kept in ``events``.

        Raises ReportError: refused by Chrome, no answer in time, or Chrome has ended.
        """
        answer = self._wait(self._tab.send_command(method, params), deadline_s, method)
        if "error" in answer:
            raise ReportError(f"Chrome refused {method}: {answer['error'].get('message')}")
        result: Json = answer["result"]
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
        self._wait(self._open(url), deadline_s, f"loading {url}")

    async def _open(self, url: str) -> None:
        loaded = self._tab.subscribe_once("Page.loadEventFired")
        answer = await self._tab.send_command("Page.navigate", {"url": url})
        if "error" in answer:
            raise ReportError(f"Chrome cannot open {url}: {answer['error'].get('message')}")
        await loaded

    def close(self) -> None:
        """End Chrome and remove its files; never raises: a finished report stays finished."""
        if self._loop.is_closed():
            return
        if self._browser is not None:
            polite = asyncio.run_coroutine_threadsafe(self._browser.close(), self._loop)
            wait_for([polite], CLOSE_S)
        self._kill()
        wait_for([asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop)], CLOSE_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(CLOSE_S)
        if not self._thread.is_alive():
            self._loop.close()
        self._abandon()
        atexit.unregister(self._abandon)

    def _abandon(self) -> None:
        self._kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        # a hung Chrome, and helpers that outlive it for a moment and write into its folder
        if self.pid is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)


async def _cancel_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
