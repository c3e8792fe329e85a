"""The real server on a free port with a workspace of its own, and a Chromium that is watched.

Every page is watched for console errors and for requests that leave this machine.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Watched:
    """A browser page with what went wrong on it."""

    page: object
    url: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def settle(self, timeout: float = 60) -> None:
        """Until the script has run and everything it drew is there."""
        self.page.wait_for_timeout(250)
        ready = "[data-testid=stApp][data-test-script-state=notRunning]"
        self.page.wait_for_selector(ready, timeout=timeout * 1000)
        self.page.wait_for_function(
            "document.querySelectorAll('[data-testid=stSkeleton]').length === 0", timeout=timeout * 1000
        )

    def click(self, key: str, timeout: float = 60) -> None:
        """The button with this key."""
        self.page.locator(f".st-key-{key} button").first.click(timeout=timeout * 1000)
        self.settle(timeout)

    def fill(self, key: str, text: str) -> None:
        field_ = self.page.locator(f".st-key-{key} :is(input, textarea)").first
        field_.fill(text)
        field_.press("Tab")
        self.settle()

    def choose(self, key: str, option: str) -> None:
        """One of the options that lie side by side."""
        self.page.locator(f".st-key-{key} button", has_text=option).first.click()
        self.settle()

    def select(self, key: str, option: str) -> None:
        """An option of a drop-down."""
        self.page.locator(f".st-key-{key} input").first.click()
        self.page.get_by_role("option", name=option, exact=True).click()
        self.settle()

    def go(self, name: str) -> None:
        """Another page, by the side bar."""
        self.page.locator("[data-testid=stSidebarNav] a", has_text=name).click()
        self.settle()

    def sees(self, words: str, timeout: float = 60) -> None:
        """Waits until the page shows `words`, and has settled."""
        main = self.page.locator("[data-testid=stMain]")
        main.get_by_text(words).first.wait_for(state="visible", timeout=timeout * 1000)
        self.settle(timeout)


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (Debian: apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def server(tmp_path):
    """(url, workspace folder, restart) of a freshly started app."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = (tmp_path / "server.log").open("wb")
    running: list[subprocess.Popen] = []

    def start() -> str:
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true",
                   "--server.port", str(port)]  # fmt: skip
        # One thread each: on a busy machine threads that wait for each other cost several times the work.
        env = {**os.environ, "CTXPRIV_WORKSPACE": str(tmp_path / "workspace"), "OMP_NUM_THREADS": "1"}
        running.append(subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=subprocess.STDOUT))
        url = f"http://127.0.0.1:{port}"
        _await_health(url, running[-1])
        return url

    def stop() -> None:
        if running and running[-1].poll() is None:
            running[-1].terminate()
            try:
                running[-1].wait(10)
            except subprocess.TimeoutExpired:
                running[-1].kill()
                running[-1].wait()

    def restart() -> str:
        """Kills the server as a crash would, and starts another on the same workspace."""
        running[-1].kill()
        running[-1].wait()
        return start()

    yield start(), tmp_path / "workspace", restart
    stop()
    log.close()


def _await_health(url: str, process: subprocess.Popen) -> None:
    for _ in range(300):
        if process.poll() is not None:
            raise RuntimeError("the server ended at once; see server.log")
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the server did not answer within a minute")


@pytest.fixture
def watched(browser, server):
    url, _, _ = server
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, accept_downloads=True)
    page = context.new_page()
    seen = Watched(page, url)
    page.on("console", lambda m: seen.errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: seen.errors.append(str(e)))
    local = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")
    page.on("request", lambda r: None if r.url.startswith(local) else seen.outside.append(r.url))
    yield seen
    context.close()
