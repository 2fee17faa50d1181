"""The page in a browser: it answers, follows links, asks nobody else, and works without a network."""

import functools
import importlib.util
import json
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from playground.pages import PLAYGROUND, ask, question_of, run
from processes import PATIENCE
from report.pages.page import ROOT
from report.test_browser import FAINT_TEXTS, FLAGS

playwright = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs a browser (Debian's package chromium)")

_spec = importlib.util.spec_from_file_location("build_playground", PLAYGROUND / "build.py")
build = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(build)

NODE = ROOT / "examples" / "node"
ASKED = (
    "simulate",
    "--machine",
    "amd-milan-7763-nps4",
    "--config",
    str(NODE / "kubelet.yaml"),
    str(NODE / "pods.yaml"),
)
POD = "kind: Pod\nmetadata: {name: typed}\nspec: {containers: [{name: c, resources: {limits: {cpu: 6, memory: 1Gi}}}]}"

UNNAMED = """() => [...document.querySelectorAll("select, button, textarea, [contenteditable], figure[tabindex]")]
  .filter(element => element.checkVisibility() && !(element.ariaLabel || element.getAttribute("aria-label") ||
    element.labels?.[0]?.textContent.trim() || element.textContent.trim()))
  .map(element => element.outerHTML.slice(0, 80))"""


WIDE = {"width": 1280, "height": 900}
STORED = """async () =>
  [localStorage.length, sessionStorage.length, document.cookie, (await indexedDB.databases()).length]"""
KEPT = """async () => {
  const caches_ = await Promise.all((await caches.keys()).map(name => caches.open(name)));
  return (await Promise.all(caches_.map(cache => cache.keys()))).flat().map(request => request.url);
}"""
ASK_ANOTHER = """() => new Promise(end => {
  const request = new XMLHttpRequest();
  request.onload = () => end("answered");
  request.onerror = () => end("refused");
  try { request.open("GET", "http://127.0.0.2:1/"); request.send(); } catch { end("refused"); }
})"""


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format, *args):
        pass


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Builds the page, and serves it; skips where it cannot be built."""
    if reason := build.why_not():
        pytest.skip(f"the page {reason}")
    try:
        build.take_packages()
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the page needs packages that cannot be had here: {error}")
    folder = tmp_path_factory.mktemp("page")
    build.build(folder, quick=True)
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser, site):
    """Opens an address of the page; ``page.requests`` and ``page.heard`` fill as it goes on."""
    contexts = []

    def show(address=""):
        contexts.append(browser.new_context(viewport=WIDE))
        return load(contexts[-1], site, address)

    yield show
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def loaded(browser, site):
    """A page that is loaded once for many tests: each leaves it in a state of its own."""
    context = browser.new_context(viewport=WIDE)
    yield load(context, site, "")
    context.close()


@pytest.fixture
def page(loaded):
    """The page as it begins: with the first example, answered."""
    loaded.set_viewport_size(WIDE)
    loaded.emulate_media(color_scheme="light")
    before = count(loaded)
    loaded.select_option("#example", "0")
    answered(loaded, before + 1)
    return loaded


def load(context, site, address):
    context.set_default_timeout(PATIENCE * 1000)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.rstrip("/"))
    page = context.new_page()
    page.requests, page.heard = [], []
    context.on("request", lambda request: page.requests.append(request.url))
    page.on("console", lambda message: page.heard.append(message.text))
    page.on("pageerror", lambda error: page.heard.append(str(error)))
    page.goto(site + address)
    answered(page, 1)
    return page


def answered(page, count):
    """Wait until the page has shown so many answers, or a few more."""
    page.wait_for_selector(", ".join(f'html[data-answers="{number}"]' for number in range(count, count + 4)))


def count(page):
    return int(page.evaluate("document.documentElement.dataset.answers"))


def type_into(page, editor, text):
    """Replace the text of an editor as a person does, and wait for the answer to all of it."""
    page.click(f"#{editor} .cm-content")
    page.keyboard.press("Control+a")
    before = count(page)
    page.keyboard.insert_text(text)
    answered(page, before + 1)


def follow(page, fragment):
    """Open a link to the page where the page is open."""
    page.evaluate("fragment => { location.hash = fragment; }", fragment.strip())


def copied(page, button):
    page.evaluate("navigator.clipboard.writeText('')")
    page.evaluate("document.getElementById('copied').textContent = ''")
    page.click(f"#{button}")
    page.wait_for_selector("#copied:not(:empty)")
    return page.evaluate("navigator.clipboard.readText()")


def test_the_first_answer_is_that_of_the_first_example(opened, site):
    page = opened()
    assert page.inner_text("#summary") == "1 admitted, 1 refused: 1 TopologyAffinityError"
    assert "with 32 CPUs in place of 40" in page.inner_text("#pods")
    assert page.locator("#picture svg rect").count() == ask.ask(question_of(page.url))["svg"].count("<rect") > 8
    assert page.evaluate("document.documentElement.dataset.python") == "image"
    assert page.heard == []
    assert {url for url in page.requests if not url.removeprefix("blob:").startswith(site)} == set()


def test_what_is_typed_is_answered_with_faults_at_their_lines(page):
    type_into(page, "pods-editor", POD)
    assert page.inner_text("#summary") == "1 admitted, 0 refused"
    assert "default/typed" in page.inner_text("#pods")
    type_into(page, "pods-editor", POD.replace("metadata", "metadatum"))
    assert "line 2" in page.inner_text("#problems")
    page.wait_for_selector("#pods-editor .cm-lint-marker-error")
    assert "metadatum" in page.inner_text("#pods-editor .cm-lintRange-error")
    type_into(page, "config-editor", "cpuManagerPolicy: static")
    assert "default/typed" in page.inner_text("#pods")  # the answer before stays, less bright


def test_a_kubelet_that_does_not_start_is_said(page):
    type_into(page, "config-editor", "cpuManagerPolicy: static")
    assert "The kubelet does not start" in page.inner_text("#problems")
    assert "set reservedSystemCPUs" in page.inner_text("#problems")


def test_a_link_of_the_shell_shows_the_same_answer(opened):
    address = run(*ASKED, "--link", "--link-base", "")
    page = opened(address)
    assert page.text_content("#text") == run(*ASKED, "--explain").removesuffix("\n")
    assert "the one that this link was made for" in page.inner_text("#linked")


def test_a_link_says_where_the_page_answers_otherwise(page):
    from numa_conformance.reference.simulation.link import link

    question = question_of(run(*ASKED, "--link"))
    before = count(page)
    follow(page, link("", {**question, "by": "0.1.0", "digest": "0" * 12}))
    answered(page, before + 1)
    assert "made by version 0.1.0, which answered otherwise" in page.inner_text("#linked")
    follow(page, "#1.AAAA")
    page.wait_for_selector("#linked .bad")
    assert "not whole" in page.inner_text("#linked")


def test_what_is_copied_asks_the_same(page, site, tmp_path):
    before = count(page)
    page.select_option("#example", label="Scope pod: containers on one NUMA node together")
    answered(page, before + 1)
    link = copied(page, "copy-link")
    assert link.startswith(site)
    assert count(page) == before + 1  # a second node that comes with an example is no question of its own
    assert question_of(link)["digest"] == ask.ask(question_of(link))["digest"]
    commands = copied(page, "copy-commands").replace("numa-conformance ", f"{sys.executable} -m numa_conformance ")
    done = subprocess.run(["/bin/sh", "-c", commands], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "default/pair" in done.stdout, "refused, TopologyAffinityError" in done.stdout) == (
        1,
        True,
        True,
    )
    assert "TopologyAffinityError" in page.inner_text("#changed-pods")
    text = copied(page, "copy-text")
    assert link.partition("#")[0] in text
    assert "```yaml\nkind: Pod" in text or "```yaml\n- kind: Pod" in text


def test_the_browser_answers_as_python_does(page):
    examples = sorted((PLAYGROUND / "examples").glob("*.yaml"))
    for index in (2, 4, 5, 8, 11):
        before = count(page)
        page.select_option("#example", str(index))
        answered(page, before + 1)
        question = yaml.safe_load(examples[index].read_text())["question"]
        assert page.text_content("#text") == ask.ask(question)["text"], examples[index].name


def test_it_answers_without_the_image_too(opened):
    page = opened("?plain")
    assert page.evaluate("document.documentElement.dataset.python") == "plain"
    assert page.inner_text("#summary") == "1 admitted, 1 refused: 1 TopologyAffinityError"


def test_it_works_offline_once_loaded_and_stores_no_question(opened):
    page = opened()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.context.set_offline(True)
    page.reload()
    answered(page, 1)
    type_into(page, "pods-editor", POD)
    assert page.inner_text("#summary") == "1 admitted, 0 refused"
    assert page.evaluate(STORED) == [0, 0, "", 0]
    assert not any("typed" in url or "#" in url for url in page.evaluate(KEPT))


def test_no_other_host_can_be_asked(page):
    asked = "fetch('http://127.0.0.2:1/').then(() => 'answered', error => error.name)"
    assert page.evaluate(asked) == "TypeError"
    assert any("Content Security Policy" in text for text in page.heard)
    worker = page.workers[0]
    assert worker.evaluate("fetch('http://127.0.0.2:1/').catch(error => error.message)").endswith(
        "is no part of this page"
    )
    assert worker.evaluate(ASK_ANOTHER) == "refused"


def test_what_takes_long_can_be_stopped(page):
    before = count(page)
    page.click("#pods-editor .cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(POD)
    page.evaluate("document.getElementById('stop').click()")
    page.keyboard.insert_text("\n")
    answered(page, before + 1)
    assert "default/typed" in page.inner_text("#pods")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_can_be_read(page, scheme):
    page.emulate_media(color_scheme=scheme)
    for width in (400, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(UNNAMED) == []
        _, faint = page.evaluate(FAINT_TEXTS)
        assert [each for each in faint if each[0].strip()] == []


def test_it_is_used_by_keyboard(page):
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == "Pods and steps":
            break
    else:
        pytest.fail("no number of tabs leads to the editor of the pods")
    page.keyboard.press("Control+a")
    before = count(page)
    page.keyboard.insert_text(POD)
    answered(page, before + 1)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"  # Tab leaves an editor
    assert json.loads(json.dumps(page.inner_text("#summary"))) == "1 admitted, 0 refused"


def test_a_link_that_cannot_be_read_is_said(opened):
    page = opened("#2.AAAA")
    assert "this link is of another format" in page.inner_text("#linked")
    follow(page, "#1.AAAA")
    page.wait_for_selector('#linked:has-text("this link is not whole")')
