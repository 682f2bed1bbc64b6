"""A headless Chromium that tests drive over DevTools' pipe: no port, no driver, no library; only the browser has to be there.

It tells what a page logged, which requests it made and what it threw, and presses real keys. Everything waits for an answer
of the browser; nothing sleeps.
"""

from __future__ import annotations

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0
KEYS = {"Enter": ("Enter", "\r"), "Escape": ("Escape", ""), "ArrowDown": ("ArrowDown", ""), "ArrowUp": ("ArrowUp", "")}
CODES = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "Tab": 9}


def find_chromium() -> str | None:
    """The browser's path: `GRAPHLIFT_CHROMIUM`, else one of the usual names on PATH."""
    named = os.environ.get("GRAPHLIFT_CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


class Pipe:
    """DevTools' messages over two pipes, each ended by a NUL byte."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._data = b""
        self._numbers = itertools.count(1)
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """Send a command and wait for its answer; what comes in between is kept in `events`."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._writing, data) :]
        while True:
            answer = self._read()
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def wait(self, method: str) -> dict[str, Any]:
        """The next event of a kind that has not been waited for."""
        while True:
            for at, event in enumerate(self.events):
                if event.get("method") == method and not event.get("seen"):
                    self.events[at]["seen"] = True
                    return event
            self.events.append(self._read())

    def _read(self) -> dict[str, Any]:
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._data:
            ready, _, _ = select.select([self._reading], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._reading, 1 << 16)
            assert more, "the browser has ended"
            self._data += more
        message, _, self._data = self._data.partition(b"\0")
        return dict(json.loads(message))


class Page:
    """One tab on one file."""

    def __init__(self, pipe: Pipe, session: str) -> None:
        self._pipe, self._session = pipe, session

    def call(self, method: str, **parameters: Any) -> Any:
        """A DevTools command to this tab."""
        return self._pipe.call(method, self._session, **parameters)

    def open(self, path: Path, hash_: str = "") -> Page:
        """Load a file and wait until it is loaded."""
        # From an empty page: another fragment of the same file would be no load.
        for address in ("about:blank", path.as_uri() + hash_):
            self._pipe.events.clear()
            self.call("Page.navigate", url=address)
            self._pipe.wait("Page.loadEventFired")
        return self

    def value(self, expression: str) -> Any:
        """What a JavaScript expression gives, as data."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def visible(self, selector: str) -> list[str]:
        """The rendered text of every element that can be seen."""
        found = f"[...document.querySelectorAll({json.dumps(selector)})]"
        return list(
            self.value(f"{found}.filter((e) => e.checkVisibility()).map((e) => (e.innerText ?? e.textContent).trim())")
        )

    def press(self, *keys: str) -> None:
        """Press keys by name, as `Enter`, or `/`."""
        for key in keys:
            name, text = KEYS.get(key, (key, key if len(key) == 1 else ""))
            pressed = {"key": name, "windowsVirtualKeyCode": CODES.get(key, ord(key[0].upper()))}
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **pressed)
            self.call("Input.dispatchKeyEvent", type="keyUp", **pressed)

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click an element with the mouse."""
        box = self.value(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});"
            " const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        self._click(*box)

    def click_node(self, node: int) -> None:
        """Click an element that DevTools' DOM names, also where scripts are off."""
        self.call("DOM.scrollIntoViewIfNeeded", nodeId=node)
        edges = self.call("DOM.getBoxModel", nodeId=node)["model"]["border"]
        self._click(sum(edges[::2]) / 4, sum(edges[1::2]) / 4)

    def _click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screen(self, width: int, height: int, scheme: str = "light") -> None:
        """Give the window a size, and the system a colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path: Path, *, full: bool = False) -> None:
        """Write a screenshot as PNG."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(shot["data"]))

    @property
    def requests(self) -> list[str]:
        """Every address that the page asked for."""
        return [item["params"]["request"]["url"] for item in self._of("Network.requestWillBeSent")]

    @property
    def complaints(self) -> list[str]:
        """What was thrown, and every error and warning of the console: the policy's refusals too."""
        thrown = [json.dumps(item["params"]) for item in self._of("Runtime.exceptionThrown")]
        said = [json.dumps(item["params"]) for item in self._of("Runtime.consoleAPICalled")]
        logged = [item["params"]["entry"]["text"] for item in self._of("Log.entryAdded")]
        return [*thrown, *said, *logged]

    def _of(self, method: str) -> Sequence[dict[str, Any]]:
        self.value("0")  # events that came before this answer have been read then
        return [item for item in self._pipe.events if item.get("method") == method]


def _pipe() -> tuple[int, int]:
    """A pipe whose descriptors are in nobody's way."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high[0], high[1]


@contextmanager
def browser(profile: Path) -> Iterator[Pipe]:
    """A browser of its own, with a fresh profile; it is ended with everything that it started."""
    path = find_chromium()
    if path is None or os.name != "posix":
        pytest.skip("no Chromium is installed (Debian: apt-get install -y chromium)")
    to_child, to_parent = _pipe(), _pipe()

    def give() -> None:
        # DevTools reads from descriptor 3 and writes to 4.
        os.dup2(to_child[0], 3)
        os.dup2(to_parent[1], 4)

    process = subprocess.Popen(
        [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        preexec_fn=give,
        pass_fds=(3, 4),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_child[0])
    os.close(to_parent[1])
    pipe = Pipe(to_parent[0], to_child[1])
    try:
        pipe.call("Browser.getVersion")
        yield pipe
        pipe.call("Browser.close")
    finally:
        # It ends by itself when the pipe is closed.
        os.close(to_child[1])
        os.close(to_parent[0])
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def page_of(pipe: Pipe, *, scripts: bool = True) -> Iterator[Page]:
    """A new tab; without `scripts` as in a browser where JavaScript is off."""
    context = pipe.call("Target.createBrowserContext")["browserContextId"]
    target = pipe.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
    session = pipe.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    page = Page(pipe, session)
    for domain in ("Page", "Runtime", "Network", "Log"):
        page.call(f"{domain}.enable")
    page.screen(1280, 900)
    if not scripts:
        page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        yield page
    finally:
        pipe.call("Target.disposeBrowserContext", browserContextId=context)
