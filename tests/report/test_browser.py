"""The page in a real browser: how it looks, how it behaves, and that it needs nothing but itself."""

import base64
import json
import os
import select
import shutil
import struct
import subprocess
import zlib
from contextlib import contextmanager

import pytest

from numa_conformance.report.html import html_page, matrix_page
from report.runs import REQUIREMENT, SCENARIO, case, failing_run, run

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser (Debian's package chromium)")

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
SECONDS = 60
KEYS = {"Tab": 9, "Enter": 13, " ": 32}
LONG = "an_unbroken_name_" * 8

FOCUSED = """(() => {
  const one = document.activeElement, style = getComputedStyle(one);
  return {tag: one.tagName, name: one.name || "", text: one.textContent.slice(0, 80),
          visible: style.outlineStyle !== "none" && style.outlineWidth !== "0px"};
})()"""

FAINT_TEXTS = """(() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const [r, g, b] = channels(color).map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const solid = color => color !== "none" && (channels(color)[3] ?? 1) > 0;
  const behind = one => {
    for (; one; one = one.parentElement) {
      const box = one.matches("svg g") && [...one.children].find(child => child.matches("rect"));
      if (box && solid(getComputedStyle(box).fill)) return getComputedStyle(box).fill;
      if (solid(getComputedStyle(one).backgroundColor)) return getComputedStyle(one).backgroundColor;
    }
  };
  const faint = [];
  const texts = [...document.querySelectorAll("body *")].filter(one => one.checkVisibility() &&
    [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()) && !one.closest("style, title, desc"));
  for (const one of texts) {
    const ink = getComputedStyle(one)[one.matches("svg *") ? "fill" : "color"];
    const [low, high] = [light(ink), light(behind(one))].sort((a, b) => a - b);
    if ((high + .05) / (low + .05) < 4.5) faint.push([one.textContent.slice(0, 40), ink, behind(one)]);
  }
  return [texts.length, faint];
})()"""


class Browser:
    """Chromium over its DevTools pipe: real keys, real widths, and everything it asked for or complained of."""

    def __init__(self, process):
        self.process, self.unread, self.sent, self.session, self.events = process, b"", 0, {}, []

    def __call__(self, method, **params):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": params, **self.session}
        self.process.stdin.write(json.dumps(message).encode() + b"\0")
        self.process.stdin.flush()
        while (reply := self._next()).get("id") != self.sent:
            self.events.append(reply)
        assert "error" not in reply, (method, reply)
        return reply["result"]

    def _next(self):
        while b"\0" not in self.unread:
            assert select.select([self.process.stdout], [], [], SECONDS)[0], "the browser does not answer"
            read = os.read(self.process.stdout.fileno(), 1 << 20)
            assert read, "the browser is gone"
            self.unread += read
        message, _, self.unread = self.unread.partition(b"\0")
        return json.loads(message)

    def open(self, url, width=1200, dark=False):
        """Show a page in a new tab and wait until it is loaded."""
        self.session = {}
        tab = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = {"sessionId": self("Target.attachToTarget", targetId=tab, flatten=True)["sessionId"]}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self(f"{domain}.enable")
        self("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self("Emulation.setEmulatedMedia", features=[scheme])
        self.events = []
        self("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def wait_for(self, method):
        while not self.heard(method):
            self.events.append(self._next())

    def heard(self, *methods):
        return [event for event in self.events if event["method"] in methods]

    def ask(self, expression):
        told = self("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def press(self, key):
        named = {"key": key, "windowsVirtualKeyCode": KEYS[key]}
        typed = {"text": {"Enter": "\r", " ": " "}[key]} if key != "Tab" else {}
        self("Input.dispatchKeyEvent", type="keyDown", **named, **typed)
        self("Input.dispatchKeyEvent", type="keyUp", **named)

    def follow(self):
        """Press Enter on a link within the page and wait until it has led there."""
        self.ask("window.led = new Promise(done => addEventListener('hashchange', () => done(1), {once: true})); 0")
        self.press("Enter")
        self.ask("window.led")

    def tab_to(self, wanted):
        """Press Tab until an element that fits has the focus."""
        for _ in range(100):
            self.press("Tab")
            if wanted(self.ask(FOCUSED)):
                return
        pytest.fail("the keyboard does not get there")

    def shown(self, selector):
        return self.ask(f"[...document.querySelectorAll('{selector}')].filter(one => one.checkVisibility()).length")


@contextmanager
def running(profile):
    # The pipe is file descriptors 3 and 4 of the browser, which a shell gives it without code between fork and exec.
    pipe = ("sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1', "sh")
    command = [*pipe, CHROMIUM, *FLAGS, f"--user-data-dir={profile}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        try:
            browser = Browser(process)
            yield browser
            browser.session = {}
            browser("Browser.close")
            process.wait(SECONDS)
        finally:
            process.kill()


def shown_run():
    """Return a run with two requirements in one area and one in another."""
    found = failing_run()
    return run(*found.cases, case(6, requirement="cpu-manager/none/needs-no-reservation"))


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with running(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(html_page(shown_run()), encoding="utf-8")
    return path.as_uri()


def pixels(png):
    """Return size, the corner's colour and the number of different lines of a PNG as Chromium writes it."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (png[:4], depth, kind in (2, 6)) == (b"\x89PNG", 8, True)
    size, at, packed = (3 if kind == 2 else 4), 8, b""
    while at < len(png):
        (length,), name = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        packed += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, line = zlib.decompress(packed), 1 + width * size
    return width, height, tuple(raw[1:4]), len({raw[row * line : (row + 1) * line] for row in range(height)})


def test_nothing_is_loaded_beside_the_page_and_nothing_goes_to_the_console(browser, page):
    browser.open(page)
    browser.ask("document.querySelectorAll('details').forEach(one => { one.open = true })")
    asked = [event["params"]["request"]["url"] for event in browser.heard("Network.requestWillBeSent")]
    assert asked == [page]
    assert browser.heard("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded") == []


def test_whatever_would_be_loaded_is_refused(browser, page):
    browser.open(page)
    browser.ask("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'}))")
    browser.wait_for("Log.entryAdded")
    complaints = [event["params"]["entry"]["text"] for event in browser.heard("Log.entryAdded")]
    assert any("Content Security Policy" in text for text in complaints)


@pytest.mark.parametrize("width", [390, 1200])
def test_filters_work_by_keyboard(browser, page, width):
    browser.open(page, width)
    assert browser.shown("tr[data-verdict]") == 3
    assert browser.shown("main > details") == 3
    browser.tab_to(lambda one: one["name"] == "verdict")
    browser.press("Tab")
    browser.press("Tab")
    browser.press(" ")
    assert browser.ask("[...document.querySelectorAll('input[name=verdict]')].map(one => one.value + one.checked)") == [
        "passedtrue",
        "failedtrue",
        "timed-outfalse",
        "not-claimedtrue",
        "errortrue",
    ]
    assert browser.shown("main > details") == browser.shown("tr[data-verdict]") == 2
    browser.press(" ")
    browser.tab_to(lambda one: one["name"] == "text")
    browser("Input.insertText", text="BEST-effort")
    assert browser.ask("document.querySelector('output').textContent") == "1 of 3 requirements shown"
    assert browser.shown("tr[data-verdict]") == browser.shown("main > details") == browser.shown("section") == 1


def test_a_failure_opens_by_keyboard_with_both_pictures(browser, page):
    browser.open(page)
    browser.tab_to(lambda one: one["tag"] == "SUMMARY" and "test_2" in one["text"])
    assert browser.shown("svg") == 0
    browser.press("Enter")
    assert browser.shown("svg") == browser.shown("figcaption") == 2
    browser.press("Enter")
    assert browser.shown("svg") == 0


def test_links_lead_to_a_failure_and_back_however_often_and_whatever_is_filtered(browser, page):
    browser.open(page)
    browser.tab_to(lambda one: one["tag"] == "A" and "test_2" in one["text"])
    browser.follow()
    assert browser.ask("document.activeElement.matches('details[open] > summary')")
    browser.ask(
        "document.forms[0].text.value = 'no such'; document.forms[0].text.dispatchEvent(new Event('input', "
        "{bubbles: true})); document.querySelector('details[open]').open = false"
    )
    assert browser.shown("tr[data-verdict]") == browser.shown("main > details") == 0
    browser.ask("document.querySelector('tr a[href*=test-2]').click()")
    assert browser.shown("main > details[open] svg") == 2
    browser.tab_to(lambda one: one["text"] == REQUIREMENT)
    browser.follow()
    assert browser.ask("document.querySelector('tr:target').checkVisibility()")


def test_tab_reaches_everything_that_acts_and_shows_where_it_is(browser, page):
    browser.open(page)
    browser.ask("document.querySelectorAll('details').forEach(one => { one.open = true })")
    acting = browser.shown("a, summary, input, pre, .scroll[tabindex]")
    reached = []
    for _ in range(acting):
        browser.press("Tab")
        reached.append(browser.ask(FOCUSED))
    assert acting > 20
    assert [one for one in reached if not one["visible"]] == []
    assert [one["tag"] for one in reached].count("SUMMARY") == 4
    browser.press("Tab")
    assert browser.ask(FOCUSED)["tag"] == "BODY"


@pytest.mark.parametrize("width", [320, 390, 1200])
@pytest.mark.parametrize("kind", ["failing", "long names", "matrix"])
def test_no_width_scrolls_sideways(browser, tmp_path, width, kind):
    path = tmp_path / "index.html"
    named = run(case(LONG, "failed", details=LONG * 4, scenario=SCENARIO), name=LONG, known=[LONG], narrowed=False)
    made = {"failing": html_page(shown_run()), "long names": html_page(named), "matrix": matrix_page([named, named])}
    path.write_text(made[kind], encoding="utf-8")
    browser.open(path.as_uri(), width)
    browser.ask("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert browser.ask("innerWidth") == width
    assert browser.ask("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_light_and_dark_are_drawn_as_asked_and_every_text_stands_out(browser, page, dark):
    browser.open(page, dark=dark)
    browser.ask("document.querySelectorAll('details').forEach(one => { one.open = true })")
    texts, faint = browser.ask(FAINT_TEXTS)
    assert texts > 100
    assert faint == []
    png = base64.b64decode(browser("Page.captureScreenshot", format="png")["data"])
    width, height, corner, lines = pixels(png)
    assert (width, height) == (1200, 900)
    assert lines > 100
    assert max(corner) < 40 if dark else min(corner) > 240
