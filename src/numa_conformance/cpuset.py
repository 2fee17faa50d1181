"""Sets of CPU (or NUMA node) ids, held as the bits of one int."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce
from operator import or_
from typing import TYPE_CHECKING, TypeVar

from .errors import CpuSetSyntaxError

if TYPE_CHECKING:

    class _Number:
        """Compares and adds up; no shift, range or repetition takes it."""

        def __lt__(self, other: "Unchecked") -> bool: ...
        def __add__(self, other: "Unchecked") -> int: ...
        def __radd__(self, other: int) -> int: ...

        __le__ = __gt__ = __ge__ = __lt__
        __sub__, __rsub__, __rmul__ = __add__, __radd__, __radd__

    Unchecked = int | _Number
else:
    Unchecked = int
"""A number of strangers: ``bit_of`` or ``checked`` makes an int of it for the type checker."""

Key = TypeVar("Key")
MAX_ID = 65_535
"""Highest id accepted from text: the kernel's own lists stay far below, and a typo must not cost memory."""

_NUMBER = re.compile(r"()0*([0-9]+)", re.ASCII)
_OF_GO = re.compile(r"([+-]?)0*([0-9]+)", re.ASCII)
"""What a kubelet reads: a number may have a sign."""


def checked(number: Unchecked, low: int = 0, high: int = MAX_ID) -> int:
    """Return a number within bounds, those of an id by default; raises ``ValueError`` for another."""
    if not low <= number <= high:
        raise ValueError(f"{number} is outside {low}..{high}")
    return number  # type: ignore[return-value]  # the one place that makes an int of it


def bit_of(id: Unchecked) -> int:
    """Return an id as bits; raises ``ValueError`` where it is none: an unchecked ``1 << id`` costs what it says."""
    if not 0 <= id <= MAX_ID:
        raise ValueError(f"id {id} is outside 0..{MAX_ID}")
    return 1 << id  # type: ignore[operator]  # checked above, as ``checked`` does: this is asked most often


def bits_of(ids: Iterable[Unchecked]) -> int:
    """Return ids as bits, each once; raises ``ValueError`` like ``bit_of``."""
    return union(map(bit_of, ids))


def union(sets: Iterable[int]) -> int:
    """Return what is in any of some sets, all as bits."""
    return reduce(or_, sets, 0)


def ids_by_key(pairs: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    """Return the ids of each key in some pairs, as bits; the keys in their order."""
    groups: dict[Key, int] = {}
    for key, id in pairs:
        groups[key] = groups.get(key, 0) | 1 << id
    return groups


def iter_bits(bits: int) -> Iterator[int]:
    """Yield the positions of the set bits, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


@lru_cache(maxsize=8192)
def format_bits(bits: int) -> str:
    """Write set bits in kernel list format: ascending, runs joined with ``-`` (CPU-SET-01)."""
    runs: list[str] = []
    while bits:
        first = (bits & -bits).bit_length() - 1
        run = bits >> first
        length = (~run & (run + 1)).bit_length() - 1
        runs.append(str(first) if length == 1 else f"{first}-{first + length - 1}")
        bits = run >> length << (first + length)
    return ",".join(runs)


class CpuSet:
    """An immutable set of ids.

    Equal sets hash alike; iteration is ascending; ``str`` gives the kernel list format.
    """

    __slots__ = ("_bits",)
    _bits: int

    def __init__(self, ids: Iterable[int] = ()) -> None:
        """Build from ids; raises ``ValueError`` on a negative or too large one."""
        object.__setattr__(self, "_bits", bits_of(ids))

    @classmethod
    def from_bits(cls, bits: int) -> "CpuSet":
        """Wrap an int whose bit *i* means that id *i* is a member."""
        if bits < 0:
            raise ValueError("a set of ids cannot be a negative int")
        made = cls.__new__(cls)
        object.__setattr__(made, "_bits", bits)
        return made

    @classmethod
    def parse(cls, text: str) -> "CpuSet":
        """Read the kubelet's list format (CPU-SET-02): ``0-3,8``.

        Raises ``CpuSetSyntaxError`` with the offending item.
        """
        return cls.from_bits(_parse(text, strided=False))

    @classmethod
    def parse_kernel(cls, text: str) -> "CpuSet":
        """Read what the kernel accepts and prints.

        It reads more than ``parse``: strides, blanks and NUL bytes at the ends, and an empty text with a trailing
        newline. ``0-31:2/4`` is a stride: of each 4 ids from 0, the first 2.
        """
        return cls.from_bits(_parse(text.strip(" \t\r\n\0"), strided=True))

    @property
    def bits(self) -> int:
        """The set as an int."""
        return self._bits

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a CpuSet cannot be changed")

    def __reduce__(self) -> tuple[object, tuple[int]]:
        return (CpuSet.from_bits, (self._bits,))

    def __iter__(self) -> Iterator[int]:
        return iter_bits(self._bits)

    def __len__(self) -> int:
        return self._bits.bit_count()

    def __bool__(self) -> bool:
        return self._bits != 0

    def __contains__(self, id: object) -> bool:
        return isinstance(id, int) and id >= 0 and bool(self._bits >> id & 1)

    def __eq__(self, other: object) -> bool:
        return self._bits == other._bits if isinstance(other, CpuSet) else NotImplemented

    def __hash__(self) -> int:
        return hash((CpuSet, self._bits))

    def __or__(self, other: "CpuSet") -> "CpuSet":
        return CpuSet.from_bits(self._bits | other._bits)

    def __and__(self, other: "CpuSet") -> "CpuSet":
        return CpuSet.from_bits(self._bits & other._bits)

    def __sub__(self, other: "CpuSet") -> "CpuSet":
        return CpuSet.from_bits(self._bits & ~other._bits)

    def __xor__(self, other: "CpuSet") -> "CpuSet":
        return CpuSet.from_bits(self._bits ^ other._bits)

    def __le__(self, other: "CpuSet") -> bool:
        return not self._bits & ~other._bits

    def __lt__(self, other: "CpuSet") -> bool:
        return self <= other and self._bits != other._bits

    def __ge__(self, other: "CpuSet") -> bool:
        return other <= self

    def __gt__(self, other: "CpuSet") -> bool:
        return other < self

    def __str__(self) -> str:
        return format_bits(self._bits)

    def __repr__(self) -> str:
        return f"CpuSet.parse({format_bits(self._bits)!r})"


@lru_cache(maxsize=8192)
def _parse(text: str, *, strided: bool) -> int:
    return union(_parse_item(item, text, strided=strided) for item in text.split(",")) if text else 0


def _parse_item(item: str, text: str, *, strided: bool) -> int:
    if strided:
        item = item.strip(" \t\r\n")
    span, colon, stride = item.partition(":")
    if colon and not strided:
        raise CpuSetSyntaxError(text, item, "a number or a range such as 0-3")
    first_text, dash, last_text = span.partition("-")
    form = _NUMBER if strided else _OF_GO
    first = _number(first_text, item, text, form)
    last = _number(last_text, item, text, form) if dash else first
    if first > last:
        raise CpuSetSyntaxError(text, item, "a range that ascends", detail=f'invalid range "{item}" ({first} > {last})')
    run = ((1 << (last - first + 1)) - 1) << first
    if not colon:
        return run
    used_text, slash, group_text = stride.partition("/")
    if not dash or not slash:
        raise CpuSetSyntaxError(text, item, "a stride such as 0-31:2/4")
    used, group = _number(used_text, item, text), _number(group_text, item, text)
    if not 0 < used <= group:
        raise CpuSetSyntaxError(text, item, "a stride used/group with 0 < used <= group")
    pattern = (1 << used) - 1
    return sum(pattern << start for start in range(first, last + 1, group)) & run


def _number(digits: str, item: str, text: str, form: re.Pattern[str] = _NUMBER) -> int:
    match = form.fullmatch(digits)
    if match is None:
        raise CpuSetSyntaxError(text, item, "decimal ids such as 0-3,8,10-11")
    number = int(match[1] + match[2][:20])
    if number > MAX_ID:
        is_wide = number >= 2**63
        wrong = f'strconv.Atoi: parsing "{digits}": value out of range' if is_wide else f"{item!r} is above {MAX_ID}"
        raise CpuSetSyntaxError(text, item, f"ids from 0 to {MAX_ID}", wrong[:120])
    return number
