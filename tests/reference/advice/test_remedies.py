"""What is offered to a refused pod is admitted, and nothing nearer of its kind would be."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import KubeletFails, StartError, UsageError
from numa_conformance.kube import KubeletConfiguration, Pod, Quantity
from numa_conformance.machine import machine_from_dict, machine_to_dict
from numa_conformance.reference.advice import advise
from numa_conformance.reference.node import Node

GPU, PAGES = "example.com/gpu", "hugepages-2Mi"
MI = 2**20


def limited(name, *containers, init=()):
    """Return a pod of containers with these limits."""

    def listed(prefix, all_limits):
        return [{"name": f"{prefix}{i}", "resources": {"limits": limits}} for i, limits in enumerate(all_limits)]

    spec = {"containers": listed("c", containers), "initContainers": listed("i", init)}
    return {"metadata": {"name": name}, "spec": spec}


@st.composite
def machines(draw):
    unhealthy = draw(st.booleans())
    near = draw(st.lists(st.integers(0, 1), max_size=4))
    devices = [
        {"resource": GPU, "id": f"g{i}", "numa": numa, "healthy": not (unhealthy and i % 2)}
        for i, numa in enumerate(near)
    ]
    pages = {"hugepages": {"2Mi": draw(st.sampled_from([0, 64, 256]))}} if draw(st.booleans()) else {}
    return {
        "name": "drawn",
        "sockets": 2,
        "numaPerSocket": draw(st.sampled_from([1, 2])),
        "coresPerNuma": draw(st.integers(2, 4)),
        "threads": draw(st.sampled_from([1, 2])),
        "memory": f"{draw(st.integers(2, 6))}Gi",
        **pages,
        **({"devices": devices} if devices else {}),
    }


@st.composite
def configurations(draw):
    policy = draw(st.sampled_from(["none", "best-effort", "restricted", "restricted", "single-numa-node"]))
    options = {"full-pcpus-only": "true"} if draw(st.booleans()) else {}
    memory = {
        "memoryManagerPolicy": "Static",
        "kubeReserved": {"memory": "412Mi"},
        "reservedMemory": [{"numaNode": 0, "limits": {"memory": "512Mi"}}],
    }
    return {
        "cpuManagerPolicy": "static",
        "reservedSystemCPUs": draw(st.sampled_from(["0", "0,2", "0-2"])),
        "cpuManagerPolicyOptions": options,
        "topologyManagerPolicy": policy,
        "topologyManagerScope": draw(st.sampled_from(["container", "pod"])),
        **(memory if draw(st.booleans()) else {}),
    }


@st.composite
def limits(draw):
    amounts = {"cpu": draw(st.integers(1, 18)), "memory": f"{draw(st.integers(1, 24)) * 512}Mi"}
    if draw(st.booleans()):
        amounts[GPU] = draw(st.integers(0, 4))
    if draw(st.booleans()):
        amounts[PAGES] = f"{draw(st.sampled_from([32, 128, 600]))}Mi"
    return amounts


@st.composite
def refusals(draw):
    """A node with pods on it, and a pod that it refuses; None where it refuses none of those drawn."""
    try:
        config = KubeletConfiguration.from_dict(draw(configurations()))
        node = Node(machine_from_dict(draw(machines())), config, resource_fit=True)
        for number in range(4):
            containers = draw(st.lists(limits(), min_size=1, max_size=2))
            pod = Pod.from_dict(limited(f"p{number}", *containers))
            if not node.copy().admit(pod).admitted:
                return node, pod
            node.admit(pod)
    except (StartError, KubeletFails):
        pass
    return None


_CHANGE = re.compile(
    r"(?:(?P<amount>\S+) )?(?P<name>CPUs?|[a-z][\w./-]*)(?: in place of \S+)?"
    r"(?: in containers? (?P<containers>\w+(?:, \w+)*))?"
)


def rewritten(pod, text):
    """Return the pod after a change of requests, as its owner reads it from the text."""
    containers = {each.name: dict(each.limits) for each in pod.containers}
    kept, _, left_out = text.partition("without ")
    for part in (*kept.split(" and "), *left_out.split(" and ")):
        if not part:
            continue
        match = _CHANGE.fullmatch(part.removeprefix("with "))
        name = "cpu" if match["name"].startswith("CPU") else match["name"]
        for container in match["containers"].split(", ") if match["containers"] else containers:
            if match["amount"] is None:
                containers[container].pop(name, None)
            else:
                containers[container][name] = match["amount"]
    texts = [{name: str(amount) for name, amount in amounts.items()} for amounts in containers.values()]
    return Pod.from_dict(limited(pod.name, *texts))


def admits(node, pod):
    """Try a pod on a node, which is then as it was."""
    try:
        return node.admit(pod).admitted and node.remove(pod.uid)
    except KubeletFails:
        return False


def follows(node, pod, remedy):
    """Tell whether the node that a remedy describes admits the pod that it describes."""
    if remedy.text.startswith(("with ", "without ")) and remedy.change.keys() <= {"cpu", "memory", GPU, PAGES}:
        return admits(node, rewritten(pod, remedy.text))
    machine_text, _, rest = remedy.text.partition(", ") if remedy.text.startswith("on a machine") else ("", "", "")
    if rest:
        pages = {name: count for name, count in remedy.change.items() if name.startswith("hugepages.")}
        others = {name: value for name, value in remedy.change.items() if name not in pages}
        there = changed(node, replace(remedy, text=machine_text, change=pages))
        return there is not None and follows(there, pod, replace(remedy, text=rest, change=others))
    if "pods" in remedy.change:
        return admits(node.anew(), pod)
    other = changed(node, remedy)
    return other is not None and admits(other, pod)


def changed(node, remedy):
    """Return the node with the machine and configuration of a remedy, and its pods; None where one is refused."""
    machine, config = machine_to_dict(node.machine), dict(node.config.to_dict())
    for place, value in remedy.change.items():
        field, _, name = place.partition(".")
        if field == "hugepages":
            numa = int(remedy.text.split()[-1])
            (row,) = (row for row in machine["memory"] if row["node"] == numa)
            row["hugepages"] = {name: row.get("hugepages", {}).get(name, 0) + int(value)}
        else:
            config[field] = {**config.get(field, {}), name: value} if name else value
    other = Node(machine_from_dict(machine), KubeletConfiguration.from_dict(config), resource_fit=True)
    return other if all(other.admit(there).admitted for there in node.pods.values()) else None


@given(refusals())
def test_each_remedy_is_admitted(refusal):
    if refusal is None:
        return
    node, pod = refusal
    offered = advise(node, pod).remedies
    assert len(offered) <= 4
    assert [remedy.distance for remedy in offered] == sorted(remedy.distance for remedy in offered)
    for remedy in offered:
        assert follows(node, pod, remedy), remedy.text


_LEVEL = re.compile(
    r"with(out)? (?:(\S+) )?(CPU|memory|hugepages-2Mi)s?(?: in place of \S+)? in spec.resources( and in container c0)?"
)


@given(machines(), configurations(), limits(), limits())
def test_each_remedy_for_a_pod_as_a_whole_is_admitted(machine, config, level, container):
    spec = limited("p", container, {})["spec"]
    level = {name: amount for name, amount in level.items() if name != GPU}
    described = {"metadata": {"name": "p"}, "spec": {**spec, "resources": {"limits": level}}}
    try:
        pod = Pod.from_dict(described)
        node = Node(machine_from_dict(machine), KubeletConfiguration.from_dict(config), resource_fit=True)
        if node.copy().admit(pod).admitted:
            return
        offered = advise(node, pod).remedies
    except (StartError, KubeletFails, UsageError):
        return
    for remedy in offered:
        if match := _LEVEL.fullmatch(remedy.text):
            name = "cpu" if match[3] == "CPU" else match[3]
            changed = [level, *([spec["containers"][0]["resources"]["limits"]] if match[4] else [])]
            before = [dict(each) for each in changed]
            for each in changed:
                each.pop(name, None) if match[1] else each.update({name: match[2]})
            assert admits(node, Pod.from_dict(described)), remedy.text
            for each, amounts in zip(changed, before, strict=True):
                each.clear()
                each.update(amounts)


def amounts_between(name, wanted, offer):
    """Return amounts nearer to what is requested than what is offered, every one of what is counted."""
    step = {"memory": 512 * MI, PAGES: 32 * MI}.get(name, 1)
    below, above = sorted((wanted, offer))
    first = max(1, int(below // step) + 1)
    return [step * number for number in range(first, int(-(-above // step)))]


@given(refusals())
def test_the_nearest_amount_of_each_resource_is_offered(refusal):
    if refusal is None:
        return
    node, pod = refusal
    advice = advise(node, pod)
    chosen = [pod.container(advice.container)] if advice.container else list(pod.containers)
    for name in {name for each in chosen for name in each.requests}:
        asker = max((each for each in chosen if name in each.requests), key=lambda each: each.requests[name])
        wanted = asker.requests[name].value
        changes = [remedy.change[name] for remedy in advice.remedies if remedy.change.keys() == {name}]
        offers = [Quantity.parse(amount).value for amount in changes if amount != "none"]
        all_offered = len(advice.remedies) < 4
        smaller = max((amount for amount in offers if amount < wanted), default=0 if all_offered else wanted)
        most = 16 * 1024 * MI if name in ("memory", PAGES) else 24
        larger = min((amount for amount in offers if amount > wanted), default=most if all_offered else wanted)
        for amount in (
            *amounts_between(name, wanted, smaller),
            *amounts_between(name, wanted, larger if wanted else 0),
        ):
            text = f"with {Quantity(amount, 'binary') if amount > 99 else amount} {name} in container {asker.name}"
            assert not admits(node, rewritten(pod, text)), (text, advice.remedies)
