"""Texts as people paste them: without what surrounds the lines that a program printed."""

import json
import re
from textwrap import dedent

_PLAIN = {0xA0: " ", 0xFF1A: ":", 0xFEFF: None, 0: None}
_PLAIN |= {0x2013: "-", 0x2014: "--", 0x201C: '"', 0x201D: '"'}
"""Blanks that do not break, colons of Chinese texts, a mark of order, padding, typographic dashes and quotes."""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]{0,20}[A-Za-z]")
_QUOTE = re.compile(r"^[ \t]{0,8}(?:>[ \t]?){1,8}")
_NO_CONTENT = re.compile(
    r"[ \t]{0,80}(?:```|~~~)|(?:kubectl|oc) (?:get|describe) |"  # a fence of Markdown; then a prompt
    r"[^\n#$%>]{0,100}[#$%>] ?(?:sudo +)?"
    r"(?:lscpu|numactl|lstopo|hwloc-ls|cat|virsh|curl|kubectl|oc|ssh|docker|ps|tr|jq|crictl|systemctl|journalctl"
    r"|k3s|rke2|talosctl|gcloud|aws|az|helm|head|tail|less|sed|grep|yq)\b"
    r"|\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\n#$]{0,80}[#$] ?$|\$(?: |$)"  # a prompt alone, as at the end; a short one
)
_BEHIND = re.compile(r"(?<=[}\]])\[?[\w.-]{1,64}@[\w.-]{1,64}[: ][^\n#$]{0,80}[#$] ?$")
"""A prompt behind a text that does not end its last line."""
_FENCE = re.compile(r"^[ \t>]{0,80}(?:```|~~~).*$", re.M)


def decoded(text: bytes | str) -> str:
    """Return a text that may be in UTF-16, as PowerShell writes it; what is no text is replaced."""
    return text if isinstance(text, str) else text.decode(json.detect_encoding(text), "replace")


def plain_lines(text: str) -> str:
    """Return a text without fences, marks of quotes, prompts, colours and common indentation."""
    text = _ESCAPE.sub("", text.translate(_PLAIN))
    lines = (_BEHIND.sub("", _QUOTE.sub("", line, count=1)) for line in text.splitlines())
    return dedent("\n".join("" if _NO_CONTENT.match(line) else line.rstrip() for line in lines)) + "\n"


def plain_documents(text: str) -> str:
    """Return plain lines, of a text with fences of Markdown those between them, each block a document of YAML."""
    parts = _FENCE.split(text)
    if len(parts) == 2 and not parts[1].strip():  # the end of a fence whose beginning was not copied
        text = parts[0]
    elif len(parts) > 1:
        text = "".join(f"---{part}" if at % 2 else "\n" * part.count("\n") for at, part in enumerate(parts))
    return plain_lines(text)
