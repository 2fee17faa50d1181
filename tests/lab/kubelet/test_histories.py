"""Conversations of the suite's generators with unmodified kubelets: each answer is the reference's of that version.

State files are compared too. The reference adds up requests as a whole kubelet does, beside its managers.
"""

import random
from pathlib import Path

import pytest

pytest.importorskip("grpc", reason="the extra [lab] is not installed")
pytest.importorskip("google.protobuf", reason="the extra [lab] is not installed")

from kubelets import COMMAND, PATHS, needs_kubelet, needs_namespaces
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.profiles import Profile
from numa_conformance.comparing.differing import STATE_FILES, differences
from numa_conformance.comparing.two_targets import of_a_whole_kubelet
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire import Client, InProcess, Stdio
from processes import PATIENCE

pytestmark = [needs_namespaces, needs_kubelet]
ASKED = 8
"""Conversations of each group: 10 to 60 questions, some seconds."""


@pytest.fixture(scope="module", params=PATHS or [""], ids=lambda path: Path(path).name)
def kubelet(request):
    client = Client(Stdio(f"{COMMAND} {request.param}", PATIENCE))
    yield client
    client.close()


def beside(version):
    return Client(InProcess(lambda: ReferenceTarget("exact", version, resource_fit=True), "reference"))


@pytest.mark.parametrize("group", ["starts", "lives", "relations", "damages"])
def test_every_answer_is_the_references(kubelet, group):
    version = kubelet.description.kubernetes_version
    claimed = kubelet.features & Profile("all", KubernetesVersion.parse(version)).offered
    scenarios = list(GROUPS[group].scenarios(claimed, 0))
    random.Random(f"{group} {version}").shuffle(scenarios)
    found = differences(scenarios[:ASKED], kubelet, beside(version), version, tuple(STATE_FILES.values()))
    differing = [one for one in found if not of_a_whole_kubelet(one, one.history)]
    assert [(one.history.head.machine.name, one.step, one.differences) for one in differing] == []
