"""A DRA driver that gives CPUs to claims: what it publishes, what containers of claims get, what is given back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from ...cpuset import bit_of, format_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.claims import Beside, Preparation, Publication, Release
from ..judge.published import CACHE, CPU_ID, NUMA_NODE, SOCKET

chapter = Chapter("claims/cpus", since="1.34")


@chapter.requires(
    "dra-driver/devices/are-published",
    on=Publication,
    rests_on=("dra/slices/published-by-drivers",),
    beyond="in the time that a call may take",
)
def publishes(subject: Publication) -> Judgement:
    """A DRA driver that is started registers with the kubelet, and publishes its devices in ResourceSlices."""
    applies(not subject.again, "the driver has been started before")
    why = "the driver has not registered and published devices"
    return violated(subject.devices, why, got=subject.failure or "no device", allowed="it does")


@chapter.requires(
    "dra-driver/devices/are-published-again",
    "claims/restart",
    on=Publication,
    rests_on=("dra/slices/published-by-drivers",),
    beyond="The page does not speak of a restart: claims that are allocated name these devices.",
)
def publishes_again(subject: Publication) -> Judgement:
    """A DRA driver that is started again publishes the same devices, with as many CPUs, on the same machine."""
    applies(subject.again, "the driver was not started again")
    before = {device.key: device.cpus for device in subject.before}
    after = None if subject.devices is None else {device.key: device.cpus for device in subject.devices}
    return violated(
        after == before,
        "the driver does not publish its devices again",
        got=subject.failure or _amounts(after or {}),
        allowed=_amounts(before),
    )


@chapter.requires(
    "dra-driver/devices/have-names-of-their-own", on=Publication, rests_on=("dra-api/device/unique-name",)
)
def have_names_of_their_own(subject: Publication) -> Judgement:
    """The devices of a pool have different names."""
    applies(subject.devices, "the driver has published nothing")
    counts = Counter(device.key for device in subject.devices or ())
    twice = sorted({key[2] for key, count in counts.items() if count > 1})
    return violated(not twice, "devices of a pool have the same name", got=", ".join(twice))


@chapter.requires(
    "dra-driver/devices/name-numa-nodes-of-the-machine", on=Publication, rests_on=("dra-attributes/numa-node/physical",)
)
def name_numa_nodes_of_the_machine(subject: Publication) -> Judgement:
    """The attribute numaNode of a device is the id of a NUMA node of the machine."""
    applies(subject.devices, "the driver has published nothing")
    applies(
        any(device.number(NUMA_NODE) is not None for device in subject.devices or ()), "no device tells a NUMA node"
    )
    named = {device.key[2]: device.number(NUMA_NODE) for device in subject.devices or ()}
    strange = {name: node for name, node in named.items() if node is not None and node not in subject.machine.numa_ids}
    return violated(
        not strange,
        f"devices name NUMA nodes that the machine does not have: {', '.join(strange)}",
        got=", ".join(map(str, strange.values())),
        allowed=f"some of {', '.join(map(str, subject.machine.numa_ids))}",
    )


@chapter.requires(
    "dra-driver/claims/get-what-they-consume",
    on=Preparation,
    rests_on=("dra-api/allocation/consumed-capacity",),
    beyond="The page tells what is consumed; that a driver of CPUs gives so many follows from the word.",
)
def get_what_they_consume(subject: Preparation) -> Judgement:
    """The container of a claim may run on as many CPUs as the claim consumes of its devices."""
    applies(subject.cpus is not None, "the claim was refused")
    applies(subject.fits, "the claim asks for more than other claims have left")
    cpus = subject.cpus or 0
    return violated(
        cpus.bit_count() == subject.count,
        f"the container of a claim that consumes {subject.count} CPUs has {cpus.bit_count()}",
        got=format_bits(cpus),
        allowed=f"{subject.count} CPUs",
        given=cpus,
    )


@chapter.requires(
    "dra-driver/claims/get-online-cpus",
    on=Preparation,
    rests_on=("dra/slices/published-by-drivers",),
    beyond="The page says that devices are there to be used, not of which state CPUs are.",
)
def get_online_cpus(subject: Preparation) -> Judgement:
    """The CPUs of claims are online."""
    applies(subject.cpus is not None, "the claim was refused")
    strange = (subject.cpus or 0) & ~subject.machine.online_bits
    return violated(not strange, "CPUs are given that are not online", got=format_bits(strange), given=strange)


def located(subject: Preparation) -> None:
    applies(subject.cpus is not None, "the claim was refused")
    applies(
        subject.cpus is not None and subject.cpus.bit_count() == subject.count,
        "it gets another number of CPUs than it consumes",
    )
    applies(not (subject.cpus or 0) & ~subject.machine.online_bits, "some of its CPUs are not online")


def _tells(subject: Preparation, attribute: str) -> None:
    applies(
        all(device.number(attribute) is not None for device, _ in subject.wanted),
        f"a device of the claim has no attribute {attribute}",
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


@chapter.requires("dra-driver/attributes/numa-node", on=Preparation, rests_on=("dra-attributes/numa-node/physical",))
def of_the_numa_node(subject: Preparation) -> Judgement:
    """The CPUs that claims have of a device are of the NUMA node that its attribute numaNode names."""
    located(subject)
    _tells(subject, NUMA_NODE)
    return _within(subject, NUMA_NODE, subject.machine.numa_bits, "NUMA node")


@chapter.requires(
    "dra-driver/attributes/socket", "claims/attributes", on=Preparation, rests_on=("dra-driver-cpu/attributes/socket",)
)
def of_the_socket(subject: Preparation) -> Judgement:
    """The CPUs that claims have of a device are of the socket that its attribute socketID names."""
    located(subject)
    _tells(subject, SOCKET)
    return _within(subject, SOCKET, subject.machine.socket_bits, "socket")


@chapter.requires(
    "dra-driver/attributes/cache", "claims/attributes", on=Preparation, rests_on=("dra-driver-cpu/attributes/cache",)
)
def of_the_cache(subject: Preparation) -> Judgement:
    """The CPUs that claims have of a device are of the last-level cache that its attribute cacheL3ID names."""
    located(subject)
    applies(
        subject.machine.uncore_source == "hardware" and all(cpu.uncore is not None for cpu in subject.machine.cpus),
        "the machine does not tell the ids of its caches",
    )
    _tells(subject, CACHE)
    return _within(subject, CACHE, subject.machine.uncore_bits, "cache")


@chapter.requires(
    "dra-driver/attributes/cpu", "claims/attributes", on=Preparation, rests_on=("dra-driver-cpu/attributes/cpu",)
)
def of_the_id(subject: Preparation) -> Judgement:
    """A device with an attribute cpuID gives a claim that CPU."""
    located(subject)
    _tells(subject, CPU_ID)
    return _within(subject, CPU_ID, {cpu.id: bit_of(cpu.id) for cpu in subject.machine.cpus}, "CPU")


def _is_not_refused(why: str) -> Callable[[Preparation], Judgement]:
    def judge(subject: Preparation) -> Judgement:
        return violated(subject.cpus is not None, why, got=f"refused: {subject.refusal}", allowed=subject.in_words)

    return judge


@chapter.requires(
    "dra-driver/claims/can-have-what-is-published", on=Preparation, rests_on=("dra-api/device/total-capacity",)
)
def can_have_what_is_published(subject: Preparation) -> Judgement:
    """A claim that consumes no more than other claims leave of what is published is prepared."""
    applies(subject.before is None, "the claim is prepared already")
    applies(subject.fits, "the claim asks for more than other claims have left")
    applies(not subject.had, "another claim had CPUs of its devices before")
    return _is_not_refused("a claim is refused for which there is room in the capacity that the driver publishes")(
        subject
    )


@chapter.requires("dra-driver/unprepare/gives-back", on=Preparation, rests_on=("dra-plugin/unprepare/undoes",))
def gives_back(subject: Preparation) -> Judgement:
    """What an unprepared claim had can be had by other claims."""
    applies(subject.before is None, "the claim is prepared already")
    applies(subject.fits, "the claim asks for more than other claims have left")
    applies(subject.had, "no other claim had CPUs of its devices before")
    return _is_not_refused("a claim is refused for which there is room since other claims were unprepared")(subject)


def _keeps(subject: Preparation) -> Judgement:
    before = subject.before or 0
    got = f"refused: {subject.refusal}" if subject.cpus is None else format_bits(subject.cpus)
    why = "a claim that is prepared has other CPUs when it is prepared once more"
    return violated(subject.cpus == before, why, got=got, allowed=format_bits(before), had=before)


@chapter.requires(
    "dra-driver/claims/prepare-is-idempotent", on=Preparation, rests_on=("dra-plugin/prepare/idempotent",)
)
def prepare_is_idempotent(subject: Preparation) -> Judgement:
    """A claim that is prepared, and prepared once more, keeps its CPUs."""
    applies(subject.before is not None, "the claim is not prepared yet")
    applies(not subject.restarted, "the driver started anew since")
    return _keeps(subject)


@chapter.requires(
    "dra-driver/restart/keeps-claims",
    "claims/restart",
    on=Preparation,
    rests_on=("dra-plugin/prepare/idempotent", "dra-plugin/unprepare/other-process"),
)
def keeps_claims(subject: Preparation) -> Judgement:
    """A claim that is prepared keeps its CPUs when the driver starts anew and prepares it once more."""
    applies(subject.before is not None, "the claim is not prepared yet")
    applies(subject.restarted, "the driver runs since the claim was prepared")
    return _keeps(subject)


@chapter.requires(
    "dra-driver/claims/have-cpus-of-their-own",
    "claims/exclusive-cpus",
    on=Preparation,
    rests_on=("dra-driver-cpu/features/exclusive",),
)
def have_cpus_of_their_own(subject: Preparation) -> Iterator[Violation]:
    """No CPU belongs to two claims that are prepared."""
    applies(subject.cpus is not None, "the claim was refused")
    applies(any(subject.others.values()), "no other claim has CPUs")
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


@chapter.requires(
    "dra-driver/claims/leave-reserved-cpus-alone",
    "claims/reserved",
    on=Preparation,
    rests_on=("dra-driver-cpu/configuration/reserved",),
)
def leave_reserved_cpus_alone(subject: Preparation) -> Judgement:
    """CPUs that the driver is told to leave alone are given to no claim."""
    applies(subject.cpus is not None, "the claim was refused")
    applies(subject.reserved, "the driver is told to leave none alone")
    given = (subject.cpus or 0) & subject.reserved
    return violated(not given, "reserved CPUs are given", got=format_bits(given), reserved=subject.reserved)


@chapter.requires(
    "dra-driver/shared/keeps-off-claims",
    "claims/shared-pool",
    on=Beside,
    rests_on=("dra-driver-cpu/shared-pool/all-others",),
    beyond="The page does not say what becomes of it where none is left.",
)
def keeps_off_claims(subject: Beside) -> Iterator[Violation]:
    """A container without a claim may run on no CPU that a claim has; where none is left, it is refused."""
    applies(subject.claims, "no claim is prepared")
    for name, cpus in subject.shared.items():
        yield from violated(
            not cpus & subject.claims,
            f"{name}, a container without a claim, may run on CPUs of claims",
            got=format_bits(cpus),
            allowed=f"none of {format_bits(subject.claims)}",
            shared=cpus,
            claimed=subject.claims,
        )


def _is_done(subject: Release) -> Judgement:
    why = "the driver answers with an error when a claim is to be unprepared"
    return violated(subject.refusal is None, why, got=subject.refusal or "", allowed="no error")


@chapter.requires(
    "dra-driver/unprepare/undoes-what-was-prepared", on=Release, rests_on=("dra-plugin/unprepare/undoes",)
)
def undoes_what_was_prepared(subject: Release) -> Judgement:
    """A claim that is prepared is unprepared without an error."""
    applies(subject.was_prepared, "the claim is not prepared")
    return _is_done(subject)


@chapter.requires(
    "dra-driver/unprepare/of-nothing-is-no-error", on=Release, rests_on=("dra-plugin/unprepare/idempotent",)
)
def of_nothing_is_no_error(subject: Release) -> Judgement:
    """That a claim is unprepared which is not prepared is no error."""
    applies(not subject.was_prepared, "the claim is prepared")
    return _is_done(subject)


def _amounts(devices: Mapping[tuple[str, str, str], int]) -> str:
    return ", ".join(f"{name}: {cpus} CPUs" for (_, _, name), cpus in devices.items()) or "nothing"
