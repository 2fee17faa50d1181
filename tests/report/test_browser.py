"""The page in a real browser: what it looks like, how it behaves, and that it needs nothing but itself."""

import json
import re
import shutil
import struct
import subprocess
import zlib
from html import unescape

import pytest
from report_runs import failing_run

from numa_conformance.report.html import html_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
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
)
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")
WATCH = '<script>window.faults = []; addEventListener("error", event => faults.push(event.message));</script>'
PROBE = """
<script>
const told = (() => { %s })();
document.body.innerHTML = "<pre id=probe></pre>";
document.getElementById("probe").textContent = JSON.stringify(told);
</script>
"""


@pytest.fixture(scope="module")
def page():
    return html_page(failing_run())


@pytest.fixture
def chromium(tmp_path, page):
    def run(*args, html=page):
        (tmp_path / "index.html").write_text(html, encoding="utf-8")
        command = [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *args]
        done = subprocess.run(
            [*command, (tmp_path / "index.html").as_uri()], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run


@pytest.fixture
def ask(chromium, page):
    """Run a script in the loaded page and return what it returns."""

    def evaluate(script, *args):
        probed = page.replace("<head>", f"<head>{WATCH}").replace("</body>", PROBE % script + "</body>")
        shown = chromium("--dump-dom", *args, html=probed)
        return json.loads(unescape(re.search(r"<pre id=\"probe\">(.*?)</pre>", shown, re.DOTALL)[1]))

    return evaluate


def pixels(path):
    """Return size, the corner's colour and the number of colours of a PNG as Chromium writes it."""
    data = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) in ((8, 2), (8, 6))
    size, at, packed = (3 if kind == 2 else 4), 8, b""
    while at < len(data):
        (length,), name = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        packed += data[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, stride = zlib.decompress(packed), 1 + width * size
    return width, height, tuple(raw[1:4]), len({raw[row * stride : (row + 1) * stride] for row in range(height)})


def test_nothing_is_loaded_and_no_script_fails(page, ask):
    assert re.findall(r"(?:src|href)=\"(?:https?:)?//", page) == []
    assert ask("return {loaded: performance.getEntriesByType('resource').length, faults: window.faults}") == {
        "loaded": 0,
        "faults": [],
    }


def test_filters_hide_and_show_requirements(ask):
    told = ask(
        """
        const shown = () => [...document.querySelectorAll("tr[data-verdict]")].filter(one => !one.hidden).length;
        const before = shown(), box = document.querySelector("input[value=failed]"), search = document.forms[0].text;
        search.value = "best-effort"; search.dispatchEvent(new Event("input", {bubbles: true}));
        const found = shown(), said = document.querySelector("output").textContent;
        search.value = ""; box.checked = false;
        for (const one of document.querySelectorAll("input[name=verdict]")) { one.checked = false; }
        box.dispatchEvent(new Event("input", {bubbles: true}));
        return [before, found, said, shown()];
        """
    )
    assert told == [2, 1, "1 requirements shown", 0]


def test_a_link_opens_the_failure_it_names_with_both_pictures(ask):
    told = ask(
        """
        const link = document.querySelector("tr[data-verdict] a[href*=test-2]");
        const goal = document.getElementById(link.hash.slice(1));
        const before = goal.open;
        location.hash = link.hash; dispatchEvent(new HashChangeEvent("hashchange"));
        const pictures = goal.querySelectorAll("figure svg").length;
        return [before, goal.open, pictures, goal.textContent.includes("<half> a core")];
        """
    )
    assert told == [False, True, 2, True]


def test_everything_that_acts_is_reached_by_keyboard_and_has_a_name(ask):
    told = ask(
        """
        const acting = [...document.querySelectorAll("a, summary, input, .scroll[tabindex], pre[tabindex]")];
        const named = one => one.textContent.trim() || (one.labels && one.labels.length);
        return [acting.length > 5, acting.filter(one => one.tabIndex < 0).length,
                acting.filter(one => !named(one)).length];
        """
    )
    assert told == [True, 0, 0]


@pytest.mark.parametrize("width", [390, 1200])
def test_no_width_scrolls_sideways(ask, width):
    script = """
    for (const one of document.querySelectorAll("details")) one.open = true;
    document.body.style.width = "WIDTHpx";
    return [document.body.scrollWidth, document.body.clientWidth];
    """.replace("WIDTH", str(width))
    scrolled, there = ask(script, f"--window-size={width},900")
    assert scrolled <= there


def test_light_and_dark_are_drawn_as_asked(chromium, tmp_path):
    seen = {}
    for name, flags in (("light", ()), ("dark", DARK)):
        picture = tmp_path / f"{name}.png"
        chromium(*flags, "--window-size=800,1000", f"--screenshot={picture}")
        width, height, corner, lines = pixels(picture)
        assert (width, height) == (800, 1000)
        assert lines > 100
        seen[name] = sum(corner) / 3
    assert seen["light"] > 240
    assert seen["dark"] < 40
