"""A DRA driver that gives CPUs to claims: what it publishes, prepares, unprepares, and finds after a restart."""

from __future__ import annotations

from .requirement import Family, Requirement

_EXCLUSIVE, _ATTRIBUTES = "claims/exclusive-cpus", "claims/attributes"
_requirement = Family(since="1.34", features=("claims/cpus",))
_restarted = Family(since="1.34", features=("claims/cpus", "claims/restart"))

REQUIREMENTS: tuple[Requirement, ...] = (
    _requirement(
        "dra-driver/devices/are-published",
        "A DRA driver that is started registers with the kubelet, and publishes its devices in ResourceSlices.",
        statements=("dra/slices/published-by-drivers",),
        beyond="in the time that a call may take",
    ),
    _restarted(
        "dra-driver/devices/are-published-again",
        "A DRA driver that is started again publishes the same devices, with as many CPUs, on the same machine.",
        statements=("dra/slices/published-by-drivers",),
        beyond="The page does not speak of a restart: claims that are allocated name these devices.",
    ),
    _requirement(
        "dra-driver/devices/have-names-of-their-own",
        "The devices of a pool have different names.",
        statements=("dra-api/device/unique-name",),
    ),
    _requirement(
        "dra-driver/devices/name-numa-nodes-of-the-machine",
        "The attribute numaNode of a device is the id of a NUMA node of the machine.",
        statements=("dra-attributes/numa-node/physical",),
    ),
    _requirement(
        "dra-driver/attributes/numa-node",
        "The CPUs that claims have of a device are of the NUMA node that its attribute numaNode names.",
        statements=("dra-attributes/numa-node/physical",),
    ),
    _requirement(
        "dra-driver/attributes/socket",
        "The CPUs that claims have of a device are of the socket that its attribute socketID names.",
        _ATTRIBUTES,
        statements=("dra-driver-cpu/attributes/socket",),
    ),
    _requirement(
        "dra-driver/attributes/cache",
        "The CPUs that claims have of a device are of the last-level cache that its attribute cacheL3ID names.",
        _ATTRIBUTES,
        statements=("dra-driver-cpu/attributes/cache",),
    ),
    _requirement(
        "dra-driver/attributes/cpu",
        "A device with an attribute cpuID gives a claim that CPU.",
        _ATTRIBUTES,
        statements=("dra-driver-cpu/attributes/cpu",),
    ),
    _requirement(
        "dra-driver/claims/get-what-they-consume",
        "The container of a claim may run on as many CPUs as the claim consumes of its devices.",
        statements=("dra-api/allocation/consumed-capacity",),
        beyond="The page tells what is consumed; that a driver of CPUs gives so many follows from the word.",
    ),
    _requirement(
        "dra-driver/claims/get-online-cpus",
        "The CPUs of claims are online.",
        statements=("dra/slices/published-by-drivers",),
        beyond="The page says that devices are there to be used, not of which state CPUs are.",
    ),
    _requirement(
        "dra-driver/claims/can-have-what-is-published",
        "A claim that consumes no more than other claims leave of what is published is prepared.",
        statements=("dra-api/device/total-capacity",),
    ),
    _requirement(
        "dra-driver/claims/prepare-is-idempotent",
        "A claim that is prepared, and prepared once more, keeps its CPUs.",
        statements=("dra-plugin/prepare/idempotent",),
    ),
    _requirement(
        "dra-driver/claims/have-cpus-of-their-own",
        "No CPU belongs to two claims that are prepared.",
        _EXCLUSIVE,
        statements=("dra-driver-cpu/features/exclusive",),
    ),
    _requirement(
        "dra-driver/claims/leave-reserved-cpus-alone",
        "CPUs that the driver is told to leave alone are given to no claim.",
        "claims/reserved",
        statements=("dra-driver-cpu/configuration/reserved",),
    ),
    _requirement(
        "dra-driver/shared/keeps-off-claims",
        "A container without a claim may run on no CPU that a claim has; where none is left, it is refused.",
        "claims/shared-pool",
        statements=("dra-driver-cpu/shared-pool/all-others",),
        beyond="The page does not say what becomes of it where none is left.",
    ),
    _requirement(
        "dra-driver/unprepare/undoes-what-was-prepared",
        "A claim that is prepared is unprepared without an error.",
        statements=("dra-plugin/unprepare/undoes",),
    ),
    _requirement(
        "dra-driver/unprepare/gives-back",
        "What an unprepared claim had can be had by other claims.",
        statements=("dra-plugin/unprepare/undoes",),
    ),
    _requirement(
        "dra-driver/unprepare/of-nothing-is-no-error",
        "That a claim is unprepared which is not prepared is no error.",
        statements=("dra-plugin/unprepare/idempotent",),
    ),
    _restarted(
        "dra-driver/restart/keeps-claims",
        "A claim that is prepared keeps its CPUs when the driver starts anew and prepares it once more.",
        statements=("dra-plugin/prepare/idempotent", "dra-plugin/unprepare/other-process"),
    ),
)
