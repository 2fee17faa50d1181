import re

import pytest

from numa_conformance.sources.defaults import DEFAULTS
from numa_conformance.sources.pages import CPU_TASK, PAGES, anchor_of
from numa_conformance.sources.policies import POLICIES
from numa_conformance.sources.statements import STATEMENTS


def test_every_page_has_an_address_of_kubernetes_or_of_a_daemon_and_is_found_by_its_key():
    kubernetes = r"(?:v1-\d+\.docs\.)?kubernetes\.io/docs/.+/"
    repositories = "kubernetes(?:-sigs)?|containers/nri-plugins|k8stopologyawareschedwg/noderesourcetopology-api"
    repositories += "|koordinator-sh/koordinator|volcano-sh/(?:volcano|apis)|kubewharf/katalyst-(?:core|api)"
    others = r"nfd\.sigs\.k8s\.io|koordinator\.sh/docs"
    sites = re.compile(rf"https://(?:{kubernetes}|(?:{others})/.+|github\.com/(?:{repositories})/.+)")
    assert [page.id for page in PAGES.values() if not sites.fullmatch(page.address)] == []
    assert all(key == page.id for key, page in PAGES.items())
    assert len({page.address for page in PAGES.values()}) == len(PAGES)


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Static policy options", "static-policy-options"),
        ("`container` scope", "container-scope"),
        ("How does it work?", "how-does-it-work"),
        ("Simulation - how it works (by examples)", "simulation---how-it-works-by-examples"),
    ],
)
def test_an_anchor_follows_its_heading(heading, anchor):
    assert anchor_of(heading) == anchor


def test_a_section_has_the_address_of_its_anchor():
    section = CPU_TASK.section("Static policy options", "cpu-policy-static--options")
    assert section.address == f"{CPU_TASK.address}#cpu-policy-static--options"
    assert str(section) == "Control CPU Management Policies on the Node, Static policy options"
    assert CPU_TASK.section("Overview", "").address == CPU_TASK.address


def test_a_section_that_a_policy_or_default_names_is_one_of_those_read():
    read = {(statement.page.id, statement.section.anchor) for statement in STATEMENTS.values()}
    named = {record.source for record in (*POLICIES, *DEFAULTS.values()) if record.source.checked}
    assert [str(section) for section in named if (section.page.id, section.anchor) not in read] == []
