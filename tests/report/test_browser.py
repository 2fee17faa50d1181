"""The page in a real browser: how it looks, how it behaves, and that it needs nothing but itself."""

import shutil
import struct
import zlib

import pytest

from asked_in_full import deep
from numa_conformance.report.html import Column, html_page, matrix_page
from report.runs import OTHER, REQUIREMENT, SCENARIO, case, failing_run, run

playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser (Debian's package chromium)")

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LONG = "an_unbroken_name_" * 8

FOCUSED = """() => {
  const focused = document.activeElement, style = getComputedStyle(focused);
  return {tag: focused.tagName, name: focused.name || "", text: focused.textContent.slice(0, 80),
          visible: style.outlineStyle !== "none" && style.outlineWidth !== "0px"};
}"""

FAINT_TEXTS = """() => {
  const channels = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const [r, g, b] = channels(color).map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const solid = color => color !== "none" && (channels(color)[3] ?? 1) > 0;
  const behind = element => {
    for (; element; element = element.parentElement) {
      const box = element.matches("svg g") && [...element.children].find(child => child.matches("rect"));
      if (box && solid(getComputedStyle(box).fill)) return getComputedStyle(box).fill;
      if (solid(getComputedStyle(element).backgroundColor)) return getComputedStyle(element).backgroundColor;
    }
  };
  const faint = [];
  const texts = [...document.querySelectorAll("body *")].filter(element => element.checkVisibility() &&
    [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()) &&
    !element.closest("style, title, desc"));
  for (const element of texts) {
    const ink = getComputedStyle(element)[element.matches("svg *") ? "fill" : "color"];
    const [low, high] = [light(ink), light(behind(element))].sort((a, b) => a - b);
    if ((high + .05) / (low + .05) < 4.5) faint.push([element.textContent.slice(0, 40), ink, behind(element)]);
  }
  return [texts.length, faint];
}"""


def shown_run():
    """Return a run with two requirements in one area and one in another."""
    return run(*failing_run().cases, case(6, requirement="cpu-manager/none/needs-no-reservation"))


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Show a page, the run's unless another is given, and return it; ``asked`` and ``heard`` fill as it goes on."""
    contexts = []

    def show(text=None, width=1200, scheme="light", asked=None, heard=None):
        path = tmp_path / "index.html"
        path.write_text(text or html_page(shown_run()), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, is_mobile=width < 500
        )
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: asked is not None and asked.append(request.url))
        page.on("console", lambda message: heard is not None and heard.append(message.text))
        page.on("pageerror", lambda error: heard is not None and heard.append(str(error)))
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


def open_all(page):
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")


def visible(page, selector):
    """Return how many elements can be seen."""
    return page.locator(selector).filter(visible=True).count()


def tab_to(page, wanted):
    """Press Tab until an element that fits has the focus."""
    for _ in range(100):
        page.keyboard.press("Tab")
        if wanted(page.evaluate(FOCUSED)):
            return
    pytest.fail("the keyboard does not get there")


def follow(page):
    """Press Enter on a link within the page and wait until it has led there."""
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_function("before => location.href !== before", arg=before)


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


@deep
def test_nothing_is_loaded_beside_the_page_and_nothing_goes_to_the_console(opened):
    asked, heard = [], []
    page = opened(asked=asked, heard=heard)
    open_all(page)
    assert asked == [page.url]
    assert heard == []


@deep
def test_whatever_would_be_loaded_is_refused(opened):
    heard = []
    page = opened(heard=heard)
    with page.expect_console_message():
        page.evaluate("document.body.append(Object.assign(new Image(), {src: 'http://127.0.0.1:9/x.png'}))")
    assert any("Content Security Policy" in text for text in heard)


@deep
@pytest.mark.parametrize("width", [390, 1200])
def test_filters_work_by_keyboard(opened, width):
    page = opened(width=width)
    open_all(page)
    assert visible(page, "tr[data-verdict]") == 3
    assert visible(page, "details.finding") == 3
    tab_to(page, lambda focused: focused["name"] == "verdict")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    boxes = page.locator("input[name=verdict]").all()
    assert [(box.get_attribute("value"), box.is_checked()) for box in boxes] == [
        ("passed", True),
        ("failed", True),
        ("timed-out", False),
        ("not-claimed", True),
        ("error", True),
    ]
    assert visible(page, "details.finding") == visible(page, "tr[data-verdict]") == 2
    page.keyboard.press("Space")
    tab_to(page, lambda focused: focused["name"] == "text")
    page.keyboard.insert_text("BEST-effort")
    assert page.locator("output").text_content() == "1 of 3 requirements shown"
    assert visible(page, "tr[data-verdict]") == visible(page, "details.finding") == visible(page, "details.area") == 1
    assert visible(page, "section.unmet") == 0
    assert not page.locator("h2", has_text="Not met").is_visible()


@deep
def test_filters_are_in_the_address_and_come_back_with_it(opened):
    page = opened()
    open_all(page)
    page.locator("input[name=verdict][value=passed]").uncheck()
    page.locator("input[name=text]").fill("best effort & co")
    address = page.evaluate("location.href")
    assert "text=best+effort+%26+co" in address
    page.goto("about:blank")
    page.goto(address)
    assert not page.locator("input[name=verdict][value=passed]").is_checked()
    assert page.locator("input[name=verdict][value=failed]").is_checked()
    assert page.locator("input[name=text]").input_value() == "best effort & co"
    assert page.locator("output").text_content() == "0 of 3 requirements shown"


@deep
def test_what_is_not_met_comes_first_and_what_passed_is_folded(opened):
    page = opened()
    assert page.locator("main h2").first.text_content() == "Not met"
    assert visible(page, "section.unmet h3") == 1
    assert visible(page, "tr[data-verdict]") == 0
    page.locator("details.area summary", has_text="cpu-manager").click()
    assert visible(page, "tr[data-verdict]") > 0
    page.locator("details.filters summary").click()
    page.locator("button[name=fold]").click()
    assert visible(page, "tr[data-verdict]") == 0


@deep
def test_a_command_is_copied(opened):
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true })")
    line = page.locator("details.finding .command").first
    line.locator("button").click()
    page.wait_for_function("() => [...document.querySelectorAll('.copy')].some(one => one.textContent === 'Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == line.locator("code").text_content()
    assert copied.startswith(("numa-conformance replay scenario-", "pytest --numa-conformance --numa-case="))


@deep
def test_paper_shows_everything_without_what_acts(opened):
    page = opened()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert visible(page, "details.filters") == visible(page, "button.copy") == 0
    assert visible(page, "tr[data-verdict]") == 3
    assert visible(page, "details.finding svg") == 2


@deep
def test_the_matrix_shows_only_where_reports_differ_and_keeps_its_head_in_sight(opened):
    page = opened(matrix_page([Column(shown_run()), Column(run(case(1), case(6, "failed", OTHER)))]))
    head = page.locator(".tall thead th").first
    page.evaluate("document.querySelector('.tall').scrollTop = 900")
    assert head.is_visible()
    assert page.evaluate("document.querySelector('.tall thead th').getBoundingClientRect().top >= 0")
    page.locator("details.filters summary").click()
    page.locator("input[name=differing]").check()
    assert 0 < visible(page, "tr[data-verdict]") < 5
    assert "differing=yes" in page.evaluate("location.href")


def test_a_failure_opens_by_keyboard_with_both_pictures(opened):
    page = opened()
    page.evaluate("document.querySelectorAll('details.more').forEach(details => { details.open = true })")
    tab_to(page, lambda focused: focused["tag"] == "SUMMARY" and "takes <half>" in focused["text"])
    assert visible(page, "svg") == 0
    page.keyboard.press("Enter")
    assert visible(page, "svg") == visible(page, "figcaption") == 2
    page.keyboard.press("Enter")
    assert visible(page, "svg") == 0


@deep
def test_links_lead_to_a_failure_and_back_however_often_and_whatever_is_filtered(opened):
    page = opened()
    open_all(page)
    tab_to(page, lambda focused: focused["tag"] == "A" and "cgroups[2]" in focused["text"])
    follow(page)
    assert page.evaluate("document.activeElement.matches('details[open] > summary')")
    page.locator("input[name=text]").fill("no such")
    page.evaluate("document.querySelectorAll('details.finding').forEach(details => { details.open = false })")
    assert visible(page, "tr[data-verdict]") == visible(page, "details.finding") == 0
    page.evaluate("document.querySelector('tr a[href*=test-2]').click()")
    assert visible(page, "details.finding[open] svg") == 2
    tab_to(page, lambda focused: focused["tag"] == "A" and focused["text"] == REQUIREMENT)
    follow(page)
    assert page.locator("tr:target").is_visible()


@deep
def test_tab_reaches_everything_that_acts_and_shows_where_it_is(opened):
    page = opened()
    open_all(page)
    acting = visible(page, "a, summary, input, button, pre, .scroll[tabindex]")
    reached = []
    for _ in range(acting):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
    assert acting > 20
    assert [focused for focused in reached if not focused["visible"]] == []
    assert [focused["tag"] for focused in reached].count("SUMMARY") == visible(page, "summary") == 8
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED)["tag"] == "BODY"


@deep
@pytest.mark.parametrize("width", [320, 390, 1200])
@pytest.mark.parametrize("kind", ["failing", "long names", "matrix"])
def test_no_width_scrolls_sideways(opened, width, kind):
    named = run(case(LONG, "failed", details=LONG * 4, scenario=SCENARIO), name=LONG, known=[LONG], narrowed=False)
    made = {
        "failing": html_page(shown_run()),
        "long names": html_page(named),
        "matrix": matrix_page([Column(named), Column(named)]),
    }
    page = opened(made[kind], width)
    open_all(page)
    assert page.evaluate("innerWidth") == width
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@deep
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_drawn_as_asked_and_every_text_stands_out(opened, scheme):
    matrix = opened(
        matrix_page([Column(shown_run()), Column(run(case(1), case(6, "not followed", OTHER)))]), scheme=scheme
    )
    assert matrix.evaluate(FAINT_TEXTS)[1] == []
    page = opened(scheme=scheme)
    open_all(page)
    texts, faint = page.evaluate(FAINT_TEXTS)
    assert texts > 100
    assert faint == []
    width, height, corner, lines = pixels(page.screenshot())
    assert (width, height) == (1200, 900)
    assert lines > 100
    assert max(corner) < 40 if scheme == "dark" else min(corner) > 240
