"""A DRA driver that gives CPUs to claims: what it publishes, what containers of claims get, what is given back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from ...cpuset import bit_of, format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.claims import Beside, Preparation, Publication, Release
from ..judge.published import CACHE, CPU_ID, NUMA_NODE, SOCKET

at_first = Guard[Publication]("the driver has been started before", lambda subject: not subject.again)
once_more = Guard[Publication]("the driver was not started again", lambda subject: subject.again)
published = Guard[Publication]("the driver has published nothing", lambda subject: subject.devices)
tells_numa_nodes = Guard[Publication](
    "no device tells a NUMA node",
    lambda subject: any(device.number(NUMA_NODE) is not None for device in subject.devices or ()),
)


@checker("dra-driver/devices/are-published", Publication, when=(at_first,))
def publishes(subject: Publication) -> Judgement:
    """A driver registers, and publishes its devices."""
    why = "the driver has not registered and published devices"
    return violated(subject.devices, why, got=subject.failure or "no device", allowed="it does")


@checker("dra-driver/devices/are-published-again", Publication, when=(once_more,))
def publishes_again(subject: Publication) -> Judgement:
    """A driver that is started again publishes the devices that it had."""
    before = {device.key: device.cpus for device in subject.before}
    after = None if subject.devices is None else {device.key: device.cpus for device in subject.devices}
    return violated(
        after == before,
        "the driver does not publish its devices again",
        got=subject.failure or _amounts(after or {}),
        allowed=_amounts(before),
    )


@checker("dra-driver/devices/have-names-of-their-own", Publication, when=(published,))
def have_names_of_their_own(subject: Publication) -> Judgement:
    """No two devices of a pool have one name."""
    counts = Counter(device.key for device in subject.devices or ())
    twice = sorted({key[2] for key, count in counts.items() if count > 1})
    return violated(not twice, "devices of a pool have the same name", got=", ".join(twice))


@checker("dra-driver/devices/name-numa-nodes-of-the-machine", Publication, when=(published, tells_numa_nodes))
def name_numa_nodes_of_the_machine(subject: Publication) -> Judgement:
    """The standard attribute is the id of a NUMA node."""
    named = {device.key[2]: device.number(NUMA_NODE) for device in subject.devices or ()}
    strange = {name: node for name, node in named.items() if node is not None and node not in subject.machine.numa_ids}
    return violated(
        not strange,
        f"devices name NUMA nodes that the machine does not have: {', '.join(strange)}",
        got=", ".join(map(str, strange.values())),
        allowed=f"some of {', '.join(map(str, subject.machine.numa_ids))}",
    )


prepared = Guard[Preparation]("the claim was refused", lambda subject: subject.cpus is not None)
gets_as_many = Guard[Preparation](
    "it gets another number of CPUs than it consumes",
    lambda subject: subject.cpus is not None and subject.cpus.bit_count() == subject.count,
)
fits = Guard[Preparation]("the claim asks for more than other claims have left", lambda subject: subject.fits)
are_online = Guard[Preparation](
    "some of its CPUs are not online", lambda subject: not (subject.cpus or 0) & ~subject.machine.online_bits
)
is_new = Guard[Preparation]("the claim is prepared already", lambda subject: subject.before is None)
never_had = Guard[Preparation]("another claim had CPUs of its devices before", lambda subject: not subject.had)
was_had = Guard[Preparation]("no other claim had CPUs of its devices before", lambda subject: subject.had)
is_prepared = Guard[Preparation]("the claim is not prepared yet", lambda subject: subject.before is not None)
since_then = Guard[Preparation]("the driver runs since the claim was prepared", lambda subject: subject.restarted)
not_since = Guard[Preparation]("the driver started anew since", lambda subject: not subject.restarted)
others_have_some = Guard[Preparation]("no other claim has CPUs", lambda subject: any(subject.others.values()))
some_are_reserved = Guard[Preparation]("the driver is told to leave none alone", lambda subject: subject.reserved)


@checker("dra-driver/claims/get-what-they-consume", Preparation, when=(prepared, fits))
def get_what_they_consume(subject: Preparation) -> Judgement:
    """A claim's container may run on as many CPUs as the claim consumes."""
    cpus = subject.cpus or 0
    return violated(
        cpus.bit_count() == subject.count,
        f"the container of a claim that consumes {subject.count} CPUs has {cpus.bit_count()}",
        got=format_bits(cpus),
        allowed=f"{subject.count} CPUs",
        given=cpus,
    )


@checker("dra-driver/claims/get-online-cpus", Preparation, when=(prepared,))
def get_online_cpus(subject: Preparation) -> Judgement:
    """CPUs of claims are there, and online."""
    strange = (subject.cpus or 0) & ~subject.machine.online_bits
    return violated(not strange, "CPUs are given that are not online", got=format_bits(strange), given=strange)


LOCATED = (prepared, gets_as_many, are_online)


def _tells(attribute: str) -> Guard[Preparation]:
    return Guard(
        f"a device of the claim has no attribute {attribute}",
        lambda subject: all(device.number(attribute) is not None for device, _ in subject.wanted),
    )


def _within(subject: Preparation, attribute: str, groups: Mapping[int, int], what: str) -> Iterator[Violation]:
    """Judge that CPUs are where an attribute of their devices says."""
    wanted = Counter[int]()
    for device, count in subject.wanted:
        wanted[device.number(attribute) or 0] += count
    cpus = subject.cpus or 0
    got = {number: (cpus & groups.get(number, 0)).bit_count() for number in wanted}
    rest = cpus & ~sum(groups.get(number, 0) for number in wanted)
    return violated(
        got == wanted,
        f"CPUs are not of the {what} that the attribute {attribute} of their devices names",
        got=f"{format_bits(cpus)}, {', '.join(f'{count} of {what} {number}' for number, count in got.items())}",
        allowed=", ".join(f"{count} of {what} {number}" for number, count in wanted.items()),
        given=cpus,
        elsewhere=rest,
    )


@checker("dra-driver/attributes/numa-node", Preparation, when=(*LOCATED, _tells(NUMA_NODE)))
def of_the_numa_node(subject: Preparation) -> Judgement:
    """CPUs are of the NUMA node that the standard attribute of their device names."""
    return _within(subject, NUMA_NODE, subject.machine.numa_bits, "NUMA node")


@checker("dra-driver/attributes/socket", Preparation, when=(*LOCATED, _tells(SOCKET)))
def of_the_socket(subject: Preparation) -> Judgement:
    """CPUs are of the socket that their device names."""
    return _within(subject, SOCKET, subject.machine.socket_bits, "socket")


tells_caches = Guard[Preparation](
    "the machine does not tell the ids of its caches",
    lambda subject: (
        subject.machine.uncore_source == "hardware" and all(cpu.uncore is not None for cpu in subject.machine.cpus)
    ),
)


@checker("dra-driver/attributes/cache", Preparation, when=(*LOCATED, tells_caches, _tells(CACHE)))
def of_the_cache(subject: Preparation) -> Judgement:
    """CPUs are of the cache that their device names."""
    return _within(subject, CACHE, subject.machine.uncore_bits, "cache")


@checker("dra-driver/attributes/cpu", Preparation, when=(*LOCATED, _tells(CPU_ID)))
def of_the_id(subject: Preparation) -> Judgement:
    """A device that names a CPU is that CPU."""
    return _within(subject, CPU_ID, {cpu.id: bit_of(cpu.id) for cpu in subject.machine.cpus}, "CPU")


def _is_not_refused(why: str) -> Callable[[Preparation], Judgement]:
    def judge(subject: Preparation) -> Judgement:
        return violated(subject.cpus is not None, why, got=f"refused: {subject.refusal}", allowed=subject.in_words)

    return judge


checker("dra-driver/claims/can-have-what-is-published", Preparation, when=(is_new, fits, never_had))(
    _is_not_refused("a claim is refused for which there is room in the capacity that the driver publishes")
)
checker("dra-driver/unprepare/gives-back", Preparation, when=(is_new, fits, was_had))(
    _is_not_refused("a claim is refused for which there is room since other claims were unprepared")
)


def _keeps(subject: Preparation) -> Judgement:
    before = subject.before or 0
    got = f"refused: {subject.refusal}" if subject.cpus is None else format_bits(subject.cpus)
    why = "a claim that is prepared has other CPUs when it is prepared once more"
    return violated(subject.cpus == before, why, got=got, allowed=format_bits(before), had=before)


checker("dra-driver/claims/prepare-is-idempotent", Preparation, when=(is_prepared, not_since))(_keeps)
checker("dra-driver/restart/keeps-claims", Preparation, when=(is_prepared, since_then))(_keeps)


@checker("dra-driver/claims/have-cpus-of-their-own", Preparation, when=(prepared, others_have_some))
def have_cpus_of_their_own(subject: Preparation) -> Iterator[Violation]:
    """No CPU belongs to two claims."""
    cpus = subject.cpus or 0
    for uid, others in subject.others.items():
        yield from violated(
            not cpus & others,
            f"CPUs {format_bits(cpus & others)} are those of {uid} too",
            got=format_bits(cpus),
            allowed="CPUs that no other claim has",
            given=cpus,
            taken=others,
        )


@checker("dra-driver/claims/leave-reserved-cpus-alone", Preparation, when=(prepared, some_are_reserved))
def leave_reserved_cpus_alone(subject: Preparation) -> Judgement:
    """CPUs that the driver was told to leave alone are given to no claim."""
    given = (subject.cpus or 0) & subject.reserved
    return violated(not given, "reserved CPUs are given", got=format_bits(given), reserved=subject.reserved)


claims_are_there = Guard[Beside]("no claim is prepared", lambda subject: subject.claims)


@checker("dra-driver/shared/keeps-off-claims", Beside, when=(claims_are_there,))
def keeps_off_claims(subject: Beside) -> Iterator[Violation]:
    """Containers without a claim run on no CPU that a claim has."""
    for name, cpus in subject.shared.items():
        yield from violated(
            not cpus & subject.claims,
            f"{name}, a container without a claim, may run on CPUs of claims",
            got=format_bits(cpus),
            allowed=f"none of {format_bits(subject.claims)}",
            shared=cpus,
            claimed=subject.claims,
        )


of_prepared = Guard[Release]("the claim is not prepared", lambda subject: subject.was_prepared)
of_others = Guard[Release]("the claim is prepared", lambda subject: not subject.was_prepared)


def _is_done(subject: Release) -> Judgement:
    why = "the driver answers with an error when a claim is to be unprepared"
    return violated(subject.refusal is None, why, got=subject.refusal or "", allowed="no error")


checker("dra-driver/unprepare/undoes-what-was-prepared", Release, when=(of_prepared,))(_is_done)
checker("dra-driver/unprepare/of-nothing-is-no-error", Release, when=(of_others,))(_is_done)


def _amounts(devices: Mapping[tuple[str, str, str], int]) -> str:
    return ", ".join(f"{name}: {cpus} CPUs" for (_, _, name), cpus in devices.items()) or "nothing"
