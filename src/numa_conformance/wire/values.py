"""Values that several messages share."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from ..cpuset import Unchecked
from .message import Message

JsonObject = dict[str, Any]
"""A machine, a configuration or a pod: documents with schemas of their own, passed through as they are."""
IdList = Annotated[str, "ids"]
"""CPUs, or NUMA nodes, as the kernel lists them: ``0-3,8``; an empty text is none."""
NodeIds = Annotated[list[int], "NUMA nodes"]
"""One NUMA node or more, of a hint."""
AnsweredNodes = Annotated[Sequence[Unchecked], "NUMA nodes"]
"""The same, of an answer."""
NodeId = Annotated[Unchecked, "NUMA node"]
NodeIdOrNone = Annotated[Unchecked, "NUMA node, or -1"]
"""A NUMA node; -1 says of a device that it is near none."""
Bytes = Annotated[Unchecked, "bytes"]
Booked = Annotated[Unchecked, "bytes in books"]
"""Bytes in the books of memory, which may be subtracted below 0."""
CpuCount = Annotated[Unchecked, "CPUs"]
QuestionNode = Annotated[int, "NUMA node of a question"]
QuestionCount = Annotated[int, "CPUs of a question"]
"""What a target is asked is an int to its author; the reference and the judge check it."""
Absence = Literal["ended", "finished", "silent"]
"""Why a program behind a target was not met: it has failed, it has ended well, or it runs and says nothing."""


class HintValue(Message, frozen=True, omit_defaults=False):
    """A topology hint: NUMA node ids (null: any node will do) and whether it is preferred."""

    nodes: NodeIds | None
    preferred: bool


HintLists = dict[str, list[HintValue] | None]
"""Resource to hints; null: no opinion; an empty list: impossible."""


class PriorState(Message, frozen=True, omit_defaults=False):
    """What is given already: shared pool, pod uid to container to CPUs, and what init containers leave for reuse."""

    default: IdList
    assignments: dict[str, dict[str, IdList]] = msgspec.field(default_factory=dict)
    reusable: dict[str, IdList] = msgspec.field(default_factory=dict)
