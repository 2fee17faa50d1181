"""Quantities: exact amounts with the suffixes users write (ADM-QTY-01..08); durations such as ``10s`` and ``1m30s``."""

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import Literal

from ..errors import Fault, UsageError
from ..fields import Fields

Family = Literal["binary", "decimal", "exponent"]

_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY_DOWN = sorted(((power, suffix) for suffix, power in _BINARY.items()), reverse=True)
_DECIMAL_DOWN = sorted(((power, suffix) for suffix, power in _DECIMAL.items()), reverse=True)
_FORM = re.compile(r"([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_LIKELY = re.compile(r"([0-9.]+) *(?:(m?)(?:illi)? *(?:v?cpus?|cores?)?|([kmgtpe]i?)b?(?:ytes?)?)", re.ASCII)
"""How a person writes CPUs or bytes, in lower case."""
_EXPONENT = re.compile(r"[eE][+-]?[0-9]+", re.ASCII)
_LONGEST = 64
"""Characters of a quantity; a longer one is no amount of anything."""
_MAX_EXPONENT = 64
_MAX_INT64 = 2**63 - 1
_ACCEPTED = "a number with a suffix, such as 500m, 2 or 1Gi"
_SUFFIXES = "n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent such as e3"
_MALFORMED = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@total_ordering
class Quantity:
    """An exact amount. Immutable; compared, added and hashed by number, whatever the text was."""

    __slots__ = ("_family", "_fast", "_number")

    def __init__(self, number: Fraction | int, family: Family = "decimal", *, fast: bool | None = None) -> None:
        """Take the amount, the suffix family it is printed in, and its form.

        ``fast`` says whether the text was in the form that the kubelet holds as an int64 (MEM-POL-07); left out, an
        integer is.
        """
        whole = number.denominator == 1
        self._number = number.numerator if whole else number  # ints are many times faster
        self._family: Family = family
        self._fast = whole if fast is None else fast

    @classmethod
    def parse(cls, text: object) -> "Quantity":
        """Read a quantity as YAML or JSON has it: a text, or a bare number.

        Raises ``UsageError`` with the wording of the API server (ADM-QTY-02).
        """
        if isinstance(text, str):
            return _parse(text)
        if isinstance(text, bool) or not isinstance(text, (int, float)):
            raise UsageError(Fault("", f"{json.dumps(text, default=str)} is not a quantity", _ACCEPTED))
        if isinstance(text, int) and text.bit_length() > 200:
            raise UsageError(Fault("", "a quantity of more than 60 digits is too long", _ACCEPTED))
        return _parse(str(text))

    @property
    def as_number(self) -> Fraction | int:
        """The exact amount, an int where it is whole."""
        return self._number

    @property
    def value(self) -> int:
        """The amount rounded up to an integer (ADM-QTY-05)."""
        return -(-self._number.numerator // self._number.denominator)  # -(-a // b) rounds up

    @property
    def milli(self) -> int:
        """A thousand times the amount, rounded up to an integer (ADM-QTY-05)."""
        return -(-self._number.numerator * 1000 // self._number.denominator)

    @property
    def is_int64(self) -> bool:
        """Whether the kubelet can represent it as a whole int64, which depends on how it was written (MEM-POL-07)."""
        return self._fast and self._number.denominator == 1 and -_MAX_INT64 - 1 <= self._number.numerator <= _MAX_INT64

    @property
    def whole(self) -> int:
        """The amount if it is a positive integer by the integer test of CPUs, else 0 (ADM-QTY-06)."""
        value = self.value
        return value if value > 0 and value * 1000 == self.milli else 0

    def canonical(self) -> "Quantity":
        """Return it as the API server hands it on: rounded up to a multiple of 0.001 and written anew (ADM-QTY-04)."""
        return self if self._fast and self._number.denominator == 1 else _canonical(self.milli, self._family)

    def __add__(self, other: "Quantity") -> "Quantity":
        family = self._family if self._number else other._family
        return Quantity(self._number + other._number, family, fast=self._fast and other._fast)

    def __sub__(self, other: "Quantity") -> "Quantity":
        family = self._family if self._number else other._family
        return Quantity(self._number - other._number, family, fast=self._fast and other._fast)

    def __eq__(self, other: object) -> bool:
        return self._number == other._number if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: "Quantity") -> bool:
        return self._number < other._number

    def __gt__(self, other: "Quantity") -> bool:
        return self._number > other._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __bool__(self) -> bool:
        return bool(self._number)

    def __str__(self) -> str:
        return _print(self._number, self._family)

    def __repr__(self) -> str:
        return f"Quantity.parse({str(self)!r})"


NOTHING = Quantity(0)


def quantities(value: object, path: str, fields: Fields) -> dict[str, Quantity]:
    """Return resource name to quantity; absent counts as empty, and null as 0, as the API server takes it."""
    read: dict[str, Quantity] = {}
    for name, amount in fields.mapping(value, path).items():
        try:
            read[str(name)] = Quantity.parse(0 if amount is None else amount)
        except UsageError as error:
            fields.take(f"{path}.{name}", error)
    return read


def canonical(amounts: Mapping[str, Quantity]) -> dict[str, Quantity]:
    """Return amounts as the API server hands them on."""
    return {name: amount.canonical() for name, amount in amounts.items()}


@lru_cache(maxsize=8192)
def _parse(text: str) -> Quantity:
    if len(text) > _LONGEST:
        raise UsageError(Fault("", f"a quantity of {len(text)} characters is too long", _ACCEPTED))
    form = _FORM.fullmatch(text)
    near = _LIKELY.fullmatch(text.lower())
    suggestion = f"{near[1]}{near[2] or 'k' * (near[3] == 'k') or (near[3] or '').capitalize()}" if near else None
    if form is None or not text:
        raise UsageError(Fault("", f"{text!r}: {_MALFORMED}", _ACCEPTED, suggestion))
    sign, whole, fraction, suffix = form.groups("")
    if suffix not in _BINARY and suffix not in _DECIMAL and not _EXPONENT.fullmatch(suffix):
        raise UsageError(Fault("", f"{text!r}: unable to parse quantity's suffix", _SUFFIXES, suggestion))
    if not (whole or fraction or "0" in text[: form.start(4)]):
        raise UsageError(Fault("", f"{text!r}: unable to parse numeric part of quantity", _ACCEPTED))
    digits = int(whole + fraction or "0")
    if sign == "-":
        digits = -digits
    if suffix in _BINARY:
        # The kubelet's fast form: ten bits of the suffix count as three digits, of at most 14 (MEM-POL-07).
        short = not fraction and len(whole) + _BINARY[suffix] * 3 // 10 <= 14
        exact = Fraction(digits << _BINARY[suffix], 10 ** len(fraction))
        # What is not in the fast form is cut off at the largest int64; the fast form never gets there.
        bounded = exact if short else min(exact, Fraction(_MAX_INT64))
        return Quantity(_away_from_zero(bounded), "binary", fast=short)
    exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    if abs(exponent) > _MAX_EXPONENT:
        raise UsageError(Fault("", f"the exponent of {text!r} is out of range", f"{-_MAX_EXPONENT} to {_MAX_EXPONENT}"))
    power = exponent - len(fraction)
    exact = Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power)
    family: Family = "decimal" if suffix in _DECIMAL else "exponent"
    # The fast form of decimals: at most 18 digits, and nothing left below one (MEM-POL-07).
    return Quantity(_away_from_zero(exact), family, fast=len(whole) + len(fraction) <= 18 and power >= 0)


@lru_cache(maxsize=8192)
def _canonical(milli: int, family: Family) -> Quantity:
    return _parse(str(Quantity(Fraction(milli, 1000), family)))


def _away_from_zero(exact: Fraction) -> Fraction:
    """Round what is finer than 1e-9 away from zero (ADM-QTY-03)."""
    if exact.denominator == 1 or 10**9 % exact.denominator == 0:
        return exact
    nano = exact * 10**9
    away = -(-nano.numerator // nano.denominator) if nano > 0 else nano.numerator // nano.denominator
    return Fraction(away, 10**9)


def _print(number: Fraction | int, family: Family) -> str:
    """Print canonically: no fraction, the largest exponent of the family that leaves none (ADM-QTY-08)."""
    if not number:
        return "0"
    amount = number.numerator
    if family == "binary" and number.denominator == 1 and abs(amount) >= 1024:
        return next((f"{amount >> power}{unit}" for power, unit in _BINARY_DOWN if not amount % 2**power), str(amount))
    for power, suffix in _DECIMAL_DOWN:
        scaled = Fraction(number) / Fraction(10) ** power
        if scaled.denominator == 1:
            return f"{scaled}e{power}" if family == "exponent" and power else f"{scaled}{suffix}"
    raise AssertionError("a quantity is never finer than 1e-9")


DURATIONS = "a number with a unit, such as 10s or 1m30s"
_DURATION = re.compile(r"([+-]?)(0|(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:h|ms|m|s|us|µs|μs|ns))+)", re.ASCII)
_PART = re.compile(r"([0-9.]+)([a-zµμ]+)", re.ASCII)
_NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000}


def is_duration(text: str) -> bool:
    """Tell whether a text is a duration, of nanoseconds that a word of 64 bits takes."""
    return _DURATION.fullmatch(text) is not None and abs(microseconds(text)) <= _MAX_INT64 // 1000


@lru_cache(maxsize=64)
def microseconds(text: str) -> int:
    """Read a duration, cut to whole microseconds; raises ``UsageError``."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise UsageError(Fault("", f"{text!r} is not a duration", DURATIONS))
    total = sum(Fraction(number) * _NANOSECONDS[re.sub("[µμ]", "u", unit)] for number, unit in _PART.findall(match[2]))
    whole = int(total) // 1_000
    return -whole if match[1] == "-" else whole
