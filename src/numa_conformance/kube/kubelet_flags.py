"""The kubelet's command line, as far as it concerns the resource managers: flags override the configuration file.

It is read as people paste it: of ps, units and files of variables, the log, installers' commands.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from ..errors import Fault, UsageError, closest
from ..files import text_of
from ..pasted import plain_lines
from ..printable import listed
from ..sources.defaults import DEFAULTS
from ..sources.quirks.areas import NodeQuirks
from ..sources.versions import DEFAULT
from .kubelet_config import KubeletConfiguration

MAX_BYTES = 1024 * 1024
"""Bytes of a text with one; no kernel takes a longer command line."""
_LONGEST = 65_536
"""Characters of a quoted text of several lines."""
LOGGED = "FLAG: --"
"""How a kubelet writes each of its flags in its log, also those that nobody set."""
_PROGRAM = r"(?:^|[\s/\"'=])kubelet[\"']?[ \t]+(?=-|\$)"
_INSTALLERS = r"--(?:extra-config[ =](?=[\"']?kubelet\.)|kubelet-arg[ =])"
_VARIABLE = r"(?:export[ ]+)?(?:Environment=)?[\"']?[A-Z][A-Z0-9_]*=[\"']?(?=-)"
_IS_ONE = re.compile(
    rf"^[ \t\"'`]*(?:--[a-z]|{_VARIABLE}|\[(?:Unit|Service)\]$)|{_PROGRAM}|{_INSTALLERS}|{LOGGED}"
    r"|--kubelet-extra-args[ =]|\A\s*(?:[a-z]+(?:-[a-z]+)+=\S+\s+)+\Z",
    re.M,
)
_IS_DOCUMENT = re.compile(r"\A\s*(?:\[\s*)?\{|^[A-Za-z][\w.-]*[\"']?:(?:\s|$)", re.M)
_START = re.compile(_PROGRAM)
_GOES_ON = re.compile(rf"[ \t]*(?:-|{_VARIABLE})")
_BEFORE_FLAGS = re.compile(r"(?:Environment=|--kubelet-extra-args=)?(?:[A-Z][A-Z0-9_]*=)?(?=-)")
_USED, _SET = re.compile(r"\$\{?([A-Z][A-Z0-9_]*)"), re.compile(r"[\"'= ]([A-Z][A-Z0-9_]*)=")
"""The variables that the command of a unit names, and those that it sets."""
_IN_LOG = re.compile(r"\bmsg=\"(.*)\"\s*$")
_PROCESS = re.compile(r"\s*(?:\S+\s+)?[0-9]+\s")
"""How ``ps`` begins a line: with a number, maybe after a user."""
_WRAPPED = re.compile(r"\S*(?:\s--[a-z].*)?")
_NARROWEST = 60
"""Columns of a terminal from which on it may have wrapped a line."""
_LOG_LINE = re.compile(rf"{LOGGED}(\S+?)=(\\?)\"(.*?)\2\"(?:\\n\".*)?$")
"""A line of a log as text, or as JSON, in which quotes stand behind a stroke."""


def is_command_line(text: str) -> bool:
    """Tell whether a text is a command line, or has one, and no YAML or JSON."""
    head = plain_lines(text[:MAX_BYTES].replace("\0", "\n"))
    return bool(_IS_ONE.search(head)) and (LOGGED in head or not _IS_DOCUMENT.search(head))


def command_words(text: str, place: str) -> list[str]:
    """Return the words of a kubelet's command line, without those of other programs; raises ``UsageError``."""
    if len(text) > MAX_BYTES:
        raise UsageError(Fault(place, f"is larger than {MAX_BYTES} bytes", "the kubelet's command line"))
    if LOGGED in text:
        return [f"--{match[1]}={match[3]}" for line in text.splitlines() if (match := _LOG_LINE.search(line))]
    text = plain_lines(text.replace("\0", "\n").replace("`", " "))
    text = re.sub(r"\\\n", " ", re.sub(r"^[ \t]*[#;].*(?:\n|\Z)", "", text, flags=re.M))
    text = re.sub(rf"{_INSTALLERS}([\"']?)(?:--|kubelet\.)?", r"\1--", text)
    lines = _unwrapped([_IN_LOG.sub(r" \1", line) for line in text.splitlines() if line.strip()])
    used = {name for line in lines if line.startswith("ExecStart=") for name in _USED.findall(line)}
    lines = [line for line in lines if not used or used & {*_SET.findall(line)} or not line.startswith("Environment=")]
    after = {line: line[match.end() :] for line in lines if (match := _START.search(line))}
    if len({words for line, words in after.items() if "ExecStart=" not in line}) > 1:
        raise UsageError(Fault(place, f"holds {len(after)} command lines of kubelets", "one"))
    of_kubelet = [after.get(line, line) for line in lines if not after or line in after or _GOES_ON.match(line)]
    words: list[str] = []
    quoted = ""
    try:
        for line in of_kubelet:
            try:
                words += [*_split(quoted + line)]
                quoted = ""
            except ValueError:  # a quote that is closed in a later line
                quoted += f"{line} "
                if len(quoted) > _LONGEST:
                    raise
        words += [*_split(quoted)]
    except ValueError as error:
        raise UsageError(Fault(place, f"cannot be split into words: {error}", "quotes that are closed")) from None
    if cut := next((word for word in words if word.startswith("-") and word.endswith(("…", "...", ">"))), None):
        instead = "whole lines: systemctl status --full --no-pager kubelet"
        raise UsageError(Fault(place, f"is cut off at {cut!r}", instead))
    return words


def _unwrapped(lines: list[str]) -> list[str]:
    """Join a kubelet's line of ``ps`` with those on which a terminal went on with it, all of its width but the last."""
    joined: list[str] = []
    width = 0
    for line in lines:
        if width and not (_GOES_ON.match(line) or _PROCESS.match(line)) and _WRAPPED.fullmatch(line):
            joined[-1] += line
            width = width if len(line) == width else 0
        else:
            joined.append(line)
            begins = len(line) >= _NARROWEST and _PROCESS.match(line) and _START.search(line)
            width = len(line) if begins else 0
    return joined


def _split(line: str) -> Iterator[str]:
    """Split as a shell does, also what is quoted for a variable or for another program to hand on."""
    for word in shlex.split(line):
        inner = _BEFORE_FLAGS.sub("", word, count=1)
        if inner != word or re.search(r"[ \t]--?[a-z]", word):
            yield from _split(inner)
        elif not word.startswith("$") and word != "--kubelet-extra-args":
            yield word


_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


@dataclass(frozen=True, slots=True)
class _Flag:
    """What a flag sets: a field of the configuration, and how its text is read.

    ``read`` raises ``ValueError`` with the part that is wrong. ``written`` shows how a value is written; an empty one
    is a text as it stands.
    """

    field: str
    read: Callable[[str], Any]
    written: str = ""


def _pairs(text: str, sign: str = "=") -> dict[str, str]:
    return dict(_pair(item, sign) for item in filter(None, text.split(",")))


def _pair(item: str, sign: str = "=") -> tuple[str, str]:
    name, separator, value = item.partition(sign)
    if not separator or not name.strip():
        raise ValueError(item)
    return name.strip(), value.strip()


def _gates(text: str) -> dict[str, bool]:
    return {name: _switch(value, f"{name}={value}") for name, value in _pairs(text).items()}


def _switch(text: str, shown: str = "") -> bool:
    if text not in _BOOLEANS:
        raise ValueError(shown or text)
    return _BOOLEANS[text]


def _memory(text: str) -> list[dict[str, Any]]:
    entries = []
    for item in filter(None, text.split(";")):
        node, separator, limits = item.partition(":")
        if not separator or not (node.isascii() and node.isdecimal()):
            raise ValueError(item)
        entries.append({"numaNode": int(node), "limits": _pairs(limits)})
    return entries


_PAIR_FLAGS = frozenset({"cpu-manager-policy-options", "topology-manager-policy-options"})
_KINDS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "text": (str, ""),
    "switch": (_switch, "true|false"),
    "number": (int, "a number"),
    "amounts": (_pairs, "name=amount,..."),
    "options": (_pairs, "name=value,..."),
    "thresholds": (lambda text: _pairs(text, "<"), "signal<amount,..."),
    "gates": (_gates, "name=true|false,..."),
    "memory": (_memory, "node:type=amount,...[;node:...]"),
}
_ROWS = map(str.split, text_of(__package__, "kubelet_flags.txt").splitlines())
FLAGS: Mapping[str, _Flag] = MappingProxyType({name: _Flag(field, *_KINDS[kind]) for name, field, kind in _ROWS})
"""Every flag that the pages of the resource managers name, and those of fields that decide too, without dashes."""
_FAMILIES = ("cpu-manager", "memory-manager", "topology-manager", "reserved-")
"""Flags with these beginnings are all known here, so that an unknown one is a misspelt one."""
_NEAR = 0.85
"""How near to a known flag a misspelt one is; no other flag of a kubelet is so near."""


def with_flags(config: KubeletConfiguration, text: str, quirks: NodeQuirks) -> KubeletConfiguration:
    """Return a configuration with what a command line says: ``--cpu-manager-policy=static --reserved-cpus 0``.

    A flag replaces the whole field, repeated flags of lists and maps add up, and feature gates are set one by one, all
    as in the kubelet. With ``options-flag-takes-one-pair`` options are not split at commas (CPU-OPT-01). Raises
    ``UsageError`` with every fault.
    """
    fields, notes = fields_of_flags(text, quirks, "--flags")
    written = config.to_dict()
    if "featureGates" in fields:
        fields["featureGates"] = {**(written.get("featureGates") or {}), **fields["featureGates"]}
    if fields:
        read = KubeletConfiguration.from_dict({**written, **fields}, "--flags")
        config = replace(read, passed_over=config.passed_over, notes=config.notes)
    return replace(config, notes=(*config.notes, *notes)) if notes else config


def fields_of_flags(text: str, quirks: NodeQuirks, place: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the fields of a configuration that a command line sets, and what is to be said of other flags.

    Raises ``UsageError`` with every fault.
    """
    faults: list[Fault] = []
    others: dict[str, None] = {}
    fields: dict[str, Any] = {}
    for name, value in _parts(command_words(text, place), faults, others, place):
        flag = FLAGS[name]
        try:
            whole = name in _PAIR_FLAGS and quirks.options_flag_takes_one_pair and value
            read = dict([_pair(value)]) if whole else flag.read(value)
        except ValueError as error:
            wrong = value if flag.read is int else str(error)
            faults.append(Fault(f"{place}: --{name}", f"{wrong!r} is no such value", flag.written))
            continue
        if LOGGED not in text or (read and (flag.field not in DEFAULTS or read != DEFAULTS[flag.field].at(DEFAULT))):
            fields[flag.field] = _joined(fields.get(flag.field), read)
    if not (fields or others or faults) and text.strip() and LOGGED not in text:
        faults.append(Fault(place, "holds no flag of a kubelet", "--name=value or --name value"))
    if faults:
        raise UsageError(faults)
    hint = "; give the file that it names by --config, and this text by --flags" if "--config" in others else ""
    return fields, (f"{place}: passed over, as none of the managers': {listed(others)}{hint}",) if others else ()


def _parts(words: Sequence[str], faults: list[Fault], others: dict[str, None], place: str) -> Iterator[tuple[str, str]]:
    """Yield known flags with their values; misspelt ones become faults, all ``others`` are named."""
    rest = iter(words)
    after_known = False
    for word in rest:
        name, separator, value = word.removeprefix("-").removeprefix("-").partition("=")
        name = name.replace("_", "-")  # as a kubelet does
        is_flag = word.startswith("-") and bool(name)
        if name in FLAGS and is_flag and not word.startswith("--"):
            faults.append(Fault(place, f"unknown shorthand flag: {name[0]!r} in {word}", f"--{name}"))
        elif name in FLAGS and (is_flag or separator):
            if not separator and (value := "true" if FLAGS[name].read is _switch else next(rest, "")) == "":
                faults.append(Fault(f"{place}: --{name}", "has no value", "--name=value or --name value"))
            else:
                yield name, value
        elif (is_flag or separator) and (name.startswith(_FAMILIES) or closest(name, FLAGS, _NEAR)):
            near = closest(name, FLAGS)
            accepted = ", ".join(f"--{known}" for known in FLAGS)
            faults.append(Fault(place, f"there is no flag --{name} here", accepted, near and f"--{near}"))
        elif is_flag or after_known:
            others[f"--{name}" if is_flag else repr(name)] = None
        after_known = name in FLAGS


def _joined(before: Any, read: Any) -> Any:
    match before, read:
        case dict(), dict():
            return {**before, **read}
        case list(), list():
            return [*before, *read]
        case _:
            return read
