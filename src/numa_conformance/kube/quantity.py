"""Kubernetes quantities: exact amounts with the suffixes users write (ADM-QTY-01..08)."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import NoReturn

from ..errors import Fault, UsageError

__all__ = ["Quantity"]

_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_FORM = re.compile(r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?P<suffix>[eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_LOOSE = re.compile(r"([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_EXPONENT = re.compile(r"[eE][+-]?[0-9]+", re.ASCII)
_MAX_TEXT = 64
_MAX_EXPONENT = 64
_CAP = 2**63 - 1
_MALFORMED = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


@total_ordering
class Quantity:
    """An exact amount. Immutable; compared, added and hashed by number, whatever the text was."""

    __slots__ = ("_family", "_fast", "_number")

    def __init__(self, number: Fraction | int, family: str = "decimal", *, fast: bool | None = None) -> None:
        """Take the amount, the suffix family it is printed in (``binary``, ``decimal``, ``exponent``), and its form.

        ``fast`` says whether the text was in the form that the kubelet can hold as an int64 (MEM-POL-07).
        """
        self._number = Fraction(number)
        self._family = family
        self._fast = self._number.denominator == 1 if fast is None else fast

    @classmethod
    def parse(cls, text: object) -> Quantity:
        """Read a quantity as YAML or JSON has it: a text, or a bare number.

        Raises ``UsageError`` with the wording of the API server.
        """
        if isinstance(text, bool) or not isinstance(text, (str, int, float)):
            raise UsageError(Fault("", f"{text!r} is not a quantity", "a text such as 500m, 2 or 1Gi"))
        return _parse(str(text))

    @property
    def as_number(self) -> Fraction:
        """The exact amount."""
        return self._number

    @property
    def value(self) -> int:
        """The amount rounded up to an integer."""
        return -(-self._number.numerator // self._number.denominator)

    @property
    def milli(self) -> int:
        """A thousand times the amount, rounded up to an integer."""
        return -(-self._number.numerator * 1000 // self._number.denominator)

    @property
    def is_int64(self) -> bool:
        """Whether the kubelet can represent it as a whole int64, which depends on how it was written (MEM-POL-07)."""
        return self._fast and self._number.denominator == 1 and -_CAP - 1 <= self._number.numerator <= _CAP

    @property
    def is_zero(self) -> bool:
        """Whether the amount is nothing."""
        return not self._number

    def rounded_to_milli(self) -> Quantity:
        """Round up to a multiple of 0.001, as API defaulting does (ADM-QTY-04)."""
        if self._number.denominator in (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000):
            return self
        return Quantity(Fraction(self.milli, 1000), self._family)

    def __add__(self, other: Quantity) -> Quantity:
        family = self._family if self._number or not other._number else other._family
        return Quantity(self._number + other._number, family, fast=self._fast and other._fast)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(self._number - other._number, self._family, fast=self._fast and other._fast)

    def __eq__(self, other: object) -> bool:
        return self._number == other._number if isinstance(other, Quantity) else NotImplemented

    def __lt__(self, other: Quantity) -> bool:
        return self._number < other._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __bool__(self) -> bool:
        return bool(self._number)

    def __str__(self) -> str:
        return _print(self._number, self._family)

    def __repr__(self) -> str:
        return f"Quantity.parse({str(self)!r})"


@lru_cache(maxsize=4096)
def _parse(text: str) -> Quantity:
    if len(text) > _MAX_TEXT:
        raise UsageError(Fault("", f"a quantity of {len(text)} characters is too long", f"at most {_MAX_TEXT}"))
    form = _FORM.fullmatch(text)
    if form is None:
        _refuse(text)
    number, suffix = form["number"], form["suffix"]
    if suffix in _BINARY:
        return _binary(number, _BINARY[suffix])
    if suffix in _DECIMAL:
        return _decimal(number, _DECIMAL[suffix], "decimal")
    if _EXPONENT.fullmatch(suffix):
        exponent = int(suffix[1:])
        if abs(exponent) > _MAX_EXPONENT:
            raise UsageError(
                Fault("", f"the exponent of {text!r} is out of range", f"-{_MAX_EXPONENT} to {_MAX_EXPONENT}")
            )
        return _decimal(number, exponent, "exponent")
    raise UsageError(
        Fault("", f"{text!r}: unable to parse quantity's suffix", "n u m k M G T P E, Ki Mi Gi Ti Pi Ei, e3")
    )


def _refuse(text: str) -> NoReturn:
    loose = _LOOSE.fullmatch(text)
    wrong = "unable to parse numeric part of quantity" if loose else _MALFORMED
    raise UsageError(Fault("", f"{text!r}: {wrong}", "a number with a suffix, such as 500m, 2 or 1Gi"))


def _binary(number: str, power: int) -> Quantity:
    exact = _round_away(Fraction(number) * 2**power)
    digits = len(number.lstrip("+-"))
    fast = "." not in number and digits + power * 3 // 10 <= 14
    if exact > _CAP and not fast:
        exact = Fraction(_CAP)
    return Quantity(exact, "binary", fast=fast)


def _decimal(number: str, power: int, family: str) -> Quantity:
    exact = _round_away(Fraction(number) * Fraction(10) ** power)
    whole, _, fraction = number.lstrip("+-").partition(".")
    fast = len(whole) + len(fraction) <= 18 and power - len(fraction) >= 0
    return Quantity(exact, family, fast=fast)


def _round_away(exact: Fraction) -> Fraction:
    """Round what is finer than 1e-9 away from zero (ADM-QTY-03)."""
    nano = exact * 10**9
    if nano.denominator == 1:
        return exact
    away = -(-nano.numerator // nano.denominator) if nano > 0 else nano.numerator // nano.denominator
    return Fraction(away, 10**9)


def _print(number: Fraction, family: str) -> str:
    """Print canonically: no fraction, the largest suffix of the family that leaves none (ADM-QTY-08)."""
    if not number:
        return "0"
    if family == "binary" and number.denominator == 1 and abs(number) >= 1024:
        return _print_binary(number.numerator)
    for suffix, power in sorted(_DECIMAL.items(), key=lambda item: -item[1]):
        scaled = number / Fraction(10) ** power
        if scaled.denominator == 1:
            if family == "exponent" and power:
                return f"{scaled.numerator}e{power}"
            return f"{scaled.numerator}{suffix}"
    raise AssertionError("a quantity is never finer than 1e-9")


def _print_binary(number: int) -> str:
    for suffix, power in sorted(_BINARY.items(), key=lambda item: -item[1]):
        if number % 2**power == 0:
            return f"{number >> power}{suffix}"
    return str(number)
