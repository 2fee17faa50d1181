"""A DRA driver that gives CPUs to claims: what it publishes, what containers of claims get, what is given back."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from ...cpuset import bit_of, bits_of, format_bits
from ...judging.chapter import Chapter, Judgement, Violation, applies, exists, recommended_by, violated
from ...judging.claims import Coexistence, Preparation, Publication, Release
from ...judging.published import CACHE, CPU_ID, NUMA_NODE, SOCKET, DeviceKey, PublishedDevice

chapter = Chapter("claims/cpus", since="1.34")


@chapter.requires("dra-driver/devices/are-published")
def publishes(subject: Publication) -> Judgement:
    """A DRA driver that is started registers with the kubelet, and publishes its devices in ResourceSlices."""
    applies(not subject.again, "the driver has been started before")
    why = "the driver has not registered and published devices"
    return violated(subject.devices, why, got=subject.failure or "no device", allowed="it does")


@chapter.requires("dra-driver/devices/are-published-again", "claims/restart")
def publishes_again(subject: Publication) -> Judgement:
    """A DRA driver that is started again publishes the same devices, with as many CPUs or parts, of the same places."""
    applies(subject.again, "the driver was not started again")
    before, after = _facts(subject.before), None if subject.devices is None else _facts(subject.devices)
    why = "the driver does not publish its devices again"
    return violated(after == before, why, got=subject.failure or _in_words(after or {}), allowed=_in_words(before))


def _facts(devices: Iterable[PublishedDevice]) -> dict[DeviceKey, dict[str, int | None]]:
    places = (NUMA_NODE, SOCKET, CACHE, CPU_ID)
    return {
        device.key: {device.unit: device.units, **{name: device.number(name) for name in places}} for device in devices
    }


def _in_words(devices: Mapping[DeviceKey, Mapping[str, int | None]]) -> str:
    facts = {key[2]: {name: fact for name, fact in of.items() if fact is not None} for key, of in devices.items()}
    return "; ".join(f"{name}: {', '.join(f'{n} {fact}' for n, fact in of.items())}" for name, of in facts.items())


@chapter.requires("dra-driver/devices/have-names-of-their-own")
def have_names_of_their_own(subject: Publication) -> Judgement:
    """The devices of a pool have different names."""
    counts = Counter(device.key for device in applies(subject.devices, "the driver has published nothing"))
    twice = sorted({key[2] for key, count in counts.items() if count > 1})
    return violated(not twice, "devices of a pool have the same name", got=", ".join(twice))


@chapter.requires("dra-driver/devices/come-in-whole-pools")
def come_in_whole_pools(subject: Publication) -> Iterator[Violation]:
    """Of each pool as many slices are published as each of them says: a scheduler waits for those that are missing."""
    pools = defaultdict[tuple[str, str], list[int]](list)
    for each in applies(subject.slices, "the driver has published nothing"):
        count = exists(each.pool.resource_slice_count, "a slice does not say how many its pool has")
        pools[each.of].append(count)
    for (_, name), counts in pools.items():
        why, allowed = f"of pool {name} other slices are published than they say that it has", sorted({*counts})
        yield from violated(allowed == [len(counts)], why, got=len(counts), allowed=", ".join(map(str, allowed)))


@chapter.requires("dra-driver/devices/name-numa-nodes-of-the-machine")
def name_numa_nodes_of_the_machine(subject: Publication) -> Judgement:
    """The attribute numaNode of a device is the id of a NUMA node of the machine."""
    devices, known = applies(subject.devices, "the driver has published nothing"), subject.machine.numa_ids
    numbers = {device.key[2]: device.number(NUMA_NODE) for device in devices}
    named = {name: node for name, node in numbers.items() if node is not None}
    applies(named, "no device reports a NUMA node")
    strange = {name: node for name, node in named.items() if node not in known}
    why = f"devices name NUMA nodes that the machine does not have: {', '.join(strange)}"
    return violated(
        not strange, why, got=", ".join(map(str, strange.values())), allowed=f"some of {', '.join(map(str, known))}"
    )


def prepared(subject: Preparation) -> int:
    """Return the CPUs of a claim that was prepared."""
    applies(subject.count, "the claim consumes no CPUs")
    return exists(subject.cpus, "the claim was refused")


@chapter.requires("dra-driver/claims/get-what-they-consume")
def get_what_they_consume(subject: Preparation) -> Judgement:
    """The container of a claim may run on as many CPUs as the claim consumes of its devices."""
    cpus = prepared(subject)
    applies(subject.fits, "the claim asks for more than other claims have left")
    why = f"the container of a claim that consumes {subject.count} CPUs has {cpus.bit_count()}"
    return violated(
        cpus.bit_count() == subject.count, why, got=format_bits(cpus), allowed=f"{subject.count} CPUs", given=cpus
    )


@chapter.requires("dra-driver/claims/get-online-cpus")
def get_online_cpus(subject: Preparation) -> Judgement:
    """The CPUs of claims are online."""
    strange = prepared(subject) & ~subject.machine.online_bits
    return violated(not strange, "CPUs are given that are not online", got=format_bits(strange), given=strange)


def _within(subject: Preparation, attribute: str, groups: Mapping[int, int], what: str) -> Judgement:
    """Judge that CPUs are where an attribute of their devices says."""
    cpus = prepared(subject)
    applies(cpus.bit_count() == subject.count, "it gets another number of CPUs than it consumes")
    applies(not cpus & ~subject.machine.online_bits, "some of its CPUs are not online")
    wanted = Counter[int]()
    for device, count in subject.wanted:
        wanted[exists(device.number(attribute), f"a device of the claim has no attribute {attribute}")] += count
    got = {number: (cpus & groups.get(number, 0)).bit_count() for number in wanted}
    return violated(
        got == wanted,
        f"CPUs are not of the {what} that the attribute {attribute} of their devices names",
        got=f"{format_bits(cpus)}, {', '.join(f'{count} of {what} {number}' for number, count in got.items())}",
        allowed=", ".join(f"{count} of {what} {number}" for number, count in wanted.items()),
        given=cpus,
        elsewhere=cpus & ~sum(groups.get(number, 0) for number in wanted),
    )


@chapter.requires("dra-driver/attributes/numa-node")
def of_the_numa_node(subject: Preparation) -> Judgement:
    """The CPUs that claims have of a device are of the NUMA node that its attribute numaNode names."""
    return _within(subject, NUMA_NODE, subject.machine.numa_bits, "NUMA node")


@chapter.requires("dra-driver/attributes/socket", "claims/attributes")
def of_the_socket(subject: Preparation) -> Judgement:
    """The CPUs that claims have of a device are of the socket that its attribute socketID names."""
    return _within(subject, SOCKET, subject.machine.socket_bits, "socket")


@chapter.requires("dra-driver/attributes/cache", "claims/attributes")
def of_the_cache(subject: Preparation) -> Judgement:
    """The CPUs that claims have of a device are of the last-level cache that its attribute cacheL3ID names."""
    machine = subject.machine
    known = machine.uncore_source == "hardware" and all(cpu.uncore is not None for cpu in machine.cpus)
    applies(known, "the machine does not have the ids of its caches")
    return _within(subject, CACHE, machine.uncore_bits, "cache")


@chapter.requires("dra-driver/attributes/cpu", "claims/attributes")
def of_the_id(subject: Preparation) -> Judgement:
    """A device with an attribute cpuID gives a claim that CPU."""
    return _within(subject, CPU_ID, {cpu.id: bit_of(cpu.id) for cpu in subject.machine.cpus}, "CPU")


@chapter.requires("dra-driver/attributes/memory-nodes")
def keep_memory_to_their_numa_nodes(subject: Preparation) -> Judgement:
    """A driver that sets the NUMA nodes of a container's memory leaves out none that the devices of its claim name."""
    mems = exists(subject.mems, "nothing keeps the container's memory to NUMA nodes")
    numbers = [device.number(NUMA_NODE) for device, _ in subject.wanted]
    nodes = {exists(number, "a device of the claim names no NUMA node") for number in numbers}
    applies(nodes.issubset(subject.machine.numa_ids), "a device names a NUMA node that the machine does not have")
    named = bits_of(nodes)
    why = "the memory of a claim's container is kept off NUMA nodes that its devices name"
    return violated(not named & ~mems, why, got=format_bits(mems) or "none", allowed=format_bits(named))


def _is_not_refused(subject: Preparation, why: str) -> Judgement:
    applies(subject.before is None, "the claim is prepared already")
    applies(subject.fits, "the claim asks for more than other claims have left")
    return violated(subject.cpus is not None, why, got=f"refused: {subject.refusal}", allowed=subject.in_words)


@chapter.requires("dra-driver/claims/can-have-what-is-published")
def can_have_what_is_published(subject: Preparation) -> Judgement:
    """A claim that consumes no more than other claims leave of what is published is prepared."""
    applies(not subject.had, "another claim had CPUs of its devices before")
    why = "a claim is refused for which there is room in the capacity that the driver publishes"
    return _is_not_refused(subject, why)


@chapter.requires("dra-driver/unprepare/gives-back")
def gives_back(subject: Preparation) -> Judgement:
    """What an unprepared claim had can be had by other claims."""
    applies(subject.had, "no other claim had CPUs of its devices before")
    return _is_not_refused(subject, "a claim is refused for which there is room since other claims were unprepared")


def _keeps(subject: Preparation) -> Judgement:
    before = exists(subject.before, "the claim is not prepared yet")
    got = f"refused: {subject.refusal}" if subject.cpus is None else format_bits(subject.cpus)
    why = "a claim that is prepared has other CPUs when it is prepared once more"
    return violated(subject.cpus == before, why, got=got, allowed=format_bits(before), had=before)


@chapter.requires("dra-driver/claims/prepare-is-idempotent")
def prepare_is_idempotent(subject: Preparation) -> Judgement:
    """A claim that is prepared, and prepared once more, keeps its CPUs."""
    applies(not subject.restarted, "the driver restarted since")
    return _keeps(subject)


@chapter.requires("dra-driver/restart/keeps-claims", "claims/restart")
def keeps_claims(subject: Preparation) -> Judgement:
    """A claim that is prepared keeps its CPUs when the driver restarts and prepares it once more."""
    applies(subject.restarted, "the driver runs since the claim was prepared")
    return _keeps(subject)


@chapter.requires("dra-driver/claims/have-cpus-of-their-own", "claims/exclusive-cpus")
def have_cpus_of_their_own(subject: Preparation) -> Iterator[Violation]:
    """No CPU belongs to two claims that are prepared."""
    cpus = prepared(subject)
    applies(any(subject.others.values()), "no other claim has CPUs")
    for uid, others in subject.others.items():
        both = cpus & others
        why, allowed = f"CPUs {format_bits(both)} are those of {uid} too", "CPUs that no other claim has"
        yield from violated(not both, why, got=format_bits(cpus), allowed=allowed, given=cpus, taken=others)


@chapter.requires("dra-driver/claims/leave-reserved-cpus-alone", "claims/reserved")
def leave_reserved_cpus_alone(subject: Preparation) -> Judgement:
    """CPUs that the driver is told to leave alone are given to no claim."""
    reserved = applies(subject.reserved, "the driver is told to leave none alone")
    taken = prepared(subject) & reserved
    return violated(not taken, "reserved CPUs are given", got=format_bits(taken), reserved=reserved)


@chapter.requires("dra-driver/shared/keeps-off-claims", "claims/shared-pool")
def keeps_off_claims(subject: Coexistence) -> Iterator[Violation]:
    """A container without a claim may run on CPUs that no claim has, and on no others; without any it is refused."""
    for name, cpus in subject.shared.items():
        why = f"{name}, a container without a claim, may run on no CPU at all"
        allowed = f"some of {format_bits(subject.left)}"
        yield from violated(cpus or not subject.left, why, got="none", allowed=allowed, shared=subject.left)
        claims = subject.claims | cpus & ~subject.online
        why = f"{name}, a container without a claim, may run on CPUs of claims, or on some that are not online"
        allowed = f"none of {format_bits(claims)}"
        yield from violated(not cpus & claims, why, got=format_bits(cpus), allowed=allowed, shared=cpus, claimed=claims)


@chapter.requires("dra-driver/shared/has-all-that-claims-leave", "claims/shared-pool")
@recommended_by("dra-driver-cpu/shared-pool/all-that-is-left", beyond="A container may be kept to a part of the pool.")
def has_all_that_claims_leave(subject: Coexistence) -> Iterator[Violation]:
    """A container without a claim may run on every CPU that no claim has, and that is not reserved."""
    for name, cpus in subject.shared.items():
        lacking = subject.left & ~cpus
        why = f"{name}, a container without a claim, may not run on CPUs that no claim has"
        yield from violated(not lacking, why, got=format_bits(cpus), allowed=format_bits(subject.left), lacking=lacking)


def _is_done(subject: Release) -> Judgement:
    why = "the driver answers with an error when a claim is to be unprepared"
    return violated(subject.refusal is None, why, got=subject.refusal or "", allowed="no error")


@chapter.requires("dra-driver/unprepare/undoes-what-was-prepared")
def undoes_what_was_prepared(subject: Release) -> Judgement:
    """A claim that is prepared is unprepared without an error."""
    applies(subject.was_prepared, "the claim is not prepared")
    return _is_done(subject)


@chapter.requires("dra-driver/unprepare/of-nothing-is-no-error")
def of_nothing_is_no_error(subject: Release) -> Judgement:
    """That a claim is unprepared which is not prepared is no error."""
    applies(not subject.was_prepared, "the claim is prepared")
    return _is_done(subject)
