"""The texts that are read, each recognised by what stands in it, and the machine that one or several make."""

import re
from collections.abc import Callable
from typing import TypeAlias

from ...errors import Fault, UsageError
from ...pasted import plain_lines
from .facts import Facts
from .objects import read_cadvisor, read_libvirt, read_lstopo, read_zones
from .tables import read_cpuinfo, read_json, read_log, read_nodes, read_rows, read_summary

MAX_BYTES = 16 * 1024 * 1024
"""Twenty times what lstopo writes of the largest machine."""
_HEAD = 65_536


def _sign(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.M | re.ASCII)


_ZONES = r"""(?:^|[{,])[ \t"'-]*kind["']?:[ \t]*["']?NodeResourceTopology(?:List)?\b"""
_SUMMARY = (
    r"^[ \t]*(?:CPU\(s\)|CPU)[ \t]*:[ \t]*[0-9]|^[ \t]*(?:Cache )?L1d\b"
    r"|^[^\n:]{0,30}NUMA[^\n0-9:]{1,30}[0-9]{1,5}[^\n0-9:]{0,30}:[ \t]*[0-9]"
    r"|^[^\n:]{1,40}:[ \t]*(?:x86_64|i[3-6]86|aarch64|armv[a-z0-9]{1,4}|ppc64|ppc64le|s390x?|riscv64)$"
)
_Reader: TypeAlias = tuple[str, re.Pattern[str], Callable[[str, Facts], None]]
"""What prints a text, what stands in it, who reads it."""
_READERS: tuple[_Reader, ...] = (
    ("NodeResourceTopology", _sign(_ZONES), read_zones),
    ("lstopo --of xml", _sign(r"<object\s+type="), read_lstopo),
    ("virsh capabilities", _sign(r"<cells\b|<capabilities\b"), read_libvirt),
    ("cadvisor's machine", _sign(r'"num_cores"\s*:'), read_cadvisor),
    ("lscpu -J", _sign(r'"lscpu"\s*:\s*\[|"cpus"\s*:\s*\[\s*\{\s*"cpu"\s*:'), read_json),
    ("numactl -H", _sign(r"^[ \t#]*node [0-9]{1,5} (?:cpus|size):"), read_nodes),
    ("lscpu -e", _sign(r"^[ \t]*CPU(?:[ \t]+[A-Z0-9]+)*[ \t]+(?:NODE|SOCKET|CORE)\b"), read_rows),
    ("lscpu -p", _sign(r"^[ \t]*#[ \t]*CPU,|^[ \t]*[0-9]{1,5}(?:,[0-9]{0,5}){2,3},,[0-9]"), read_rows),
    ("/proc/cpuinfo", _sign(r"^[ \t]*processor(?:[ \t]*: [0-9]{1,5}$| [0-9]{1,5}: )"), read_cpuinfo),
    ("a kubelet's log", _sign(r"[Dd]etected CPU topology"), read_log),
    ("lscpu", _sign(_SUMMARY), read_summary),
)
ACCEPTED = "a machine, a host tree, or a text of " + ", ".join(name for name, _, _ in _READERS)
_MACHINE_FILE = re.compile(r'\A\s*\{\s*"name"|^name[ \t]*:', re.M)
_CUT = (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError)
"""What the readers raise where a text lacks something that it has where it is whole."""
_INSTEAD = (
    (_sign(r"^[ \t]*(?:nodebind|membind|physcpubind):"), "numactl -H in place of numactl --show"),
    (_sign(r"^[ \t]*(?:Machine|Package|Socket|NUMANode) (?:L#|P#|\()"), "lstopo --of xml"),
    (_sign(r"^[ \t]*(?:Processor Information|Handle 0x)"), "lscpu -e and numactl -H in place of dmidecode"),
    (_sign(r"^[ \t]*\*-(?:core|cpu|memory)\b"), "lscpu -e and numactl -H in place of lshw"),
    (_sign(r"^NAME +ONE-SIZE"), "lscpu -e in place of lscpu -C"),
    (_sign(r"^(?:Capacity|Allocatable|System Info):$|^kind: Node$"), "lscpu -e and numactl -H, run on the node"),
    (_sign(r"No NUMA (?:support )?available"), "lscpu -e"),
)


def facts_of_text(content: str, place: str) -> list[Facts]:
    """Return what the texts in a file say, each by itself; nothing for what is none of them. Raises ``UsageError``."""
    if _MACHINE_FILE.search(content[:_HEAD]):
        return []
    text = plain_lines(content if len(content) <= MAX_BYTES else content[:_HEAD])
    readers = [(name, read) for name, sign, read in _READERS if sign.search(text)]
    if readers and len(content) > MAX_BYTES:
        raise UsageError(Fault(place, f"is larger than {MAX_BYTES} bytes", f"what {readers[0][0]} prints"))
    every = []
    for name, read in readers:
        facts = Facts(f"{place} ({name})" if len(readers) > 1 else place)
        try:
            read(text, facts)
        except UsageError as error:
            raise error if str(error).startswith(place) else error.within(facts.place) from error
        except _CUT as error:
            wrong = f"is no whole text of {name}: {type(error).__name__} {str(error)[:80]}"
            raise UsageError(Fault(place, wrong, "the text from its first line to its last")) from error
        every.append(facts.finish())
    instead = next((instead for sign, instead in _INSTEAD if not every and sign.search(text)), None)
    if instead:
        raise UsageError(Fault(place, "is a text from which no machine can be read", instead))
    return every
