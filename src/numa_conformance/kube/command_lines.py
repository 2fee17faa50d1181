"""A kubelet's command line as people paste it: of ps, units and files of variables, the log, installers' commands."""

import re
import shlex
from collections.abc import Iterator

from ..errors import Fault, UsageError
from ..pasted import plain_lines

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
_IS_DOCUMENT = re.compile(r"\A\s*\{|^[A-Za-z][\w.-]*[\"']?:(?:\s|$)", re.M)
_START = re.compile(_PROGRAM)
_GOES_ON = re.compile(rf"[ \t]*(?:-|{_VARIABLE})")
_BEFORE_FLAGS = re.compile(r"(?:Environment=|--kubelet-extra-args=)?(?:[A-Z][A-Z0-9_]*=)?(?=-)")
_LOG_LINE = re.compile(rf"{LOGGED}(\S+)=\"(.*)\"$")


def is_command_line(text: str) -> bool:
    """Tell whether a text is a command line, or has one, and no YAML or JSON."""
    head = plain_lines(text[:MAX_BYTES].replace("\0", "\n"))
    return bool(_IS_ONE.search(head)) and not _IS_DOCUMENT.search(head)


def command_words(text: str, place: str) -> list[str]:
    """Return the words of a kubelet's command line, without those of other programs; raises ``UsageError``."""
    if len(text) > MAX_BYTES:
        raise UsageError(Fault(place, f"is larger than {MAX_BYTES} bytes", "the kubelet's command line"))
    if LOGGED in text:
        return [f"--{match[1]}={match[2]}" for line in text.splitlines() if (match := _LOG_LINE.search(line))]
    text = re.sub(r"\\\n", " ", plain_lines(text.replace("\0", "\n").replace("`", " ")))
    text = re.sub(rf"{_INSTALLERS}([\"']?)(?:--|kubelet\.)?", r"\1--", text)
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(("#", ";"))]
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
    return words


def _split(line: str) -> Iterator[str]:
    """Split as a shell does, also what is quoted for a variable or for another program to hand on."""
    for word in shlex.split(line):
        inner = _BEFORE_FLAGS.sub("", word, count=1)
        if inner != word or re.search(r"[ \t]--?[a-z]", word):
            yield from _split(inner)
        elif not word.startswith("$") and word != "--kubelet-extra-args":
            yield word
