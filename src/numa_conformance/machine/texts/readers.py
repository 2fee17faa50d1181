"""The texts that are read, each recognised by what stands in it, and the machine that one or several make.

XML and JSON are read here: lstopo, libvirt, cadvisor, NodeResourceTopology. What a text lacks is a plain Python error.
"""

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias
from xml.etree import ElementTree

from ...cpuset import MAX_ID, CpuSet, bit_of, iter_bits
from ...documents import read_text
from ...errors import Fault, UsageError
from ...files import parts_of, text_of
from ...pasted import plain_lines
from ..compact import UNITS
from ..forms import MAX_DEVICES
from ..model import Device
from .facts import CACHE, CORE, COUNTS, DISTANCE, MEMORY, NUMA, PAGES, SIZE, SOCKET, Facts
from .tables import read_cpuinfo, read_json, read_log, read_nodes, read_rows, read_summary

_OBJECTS: Mapping[str, str] = {"NUMANode": NUMA, "Package": SOCKET, "Socket": SOCKET, "Core": CORE, "L3Cache": CACHE}


def _element(text: str, name: str, facts: Facts) -> ElementTree.Element:
    """Return the XML from ``<name`` on: a document type, and so an entity, is never read."""
    end = text.rfind(f"</{name}>")
    if "<!ENTITY" in text or end < 0:
        wrong = "declares entities" if "<!ENTITY" in text else "is cut off"
        raise UsageError(Fault(facts.place, wrong, f"the XML from <{name} to </{name}>"))
    return ElementTree.fromstring(text[text.index(f"<{name}") : end] + f"</{name}>")


def _say_pages(facts: Facts, node: int, sizes: Mapping[int, int]) -> None:
    for size, count in sizes.items():
        unit = next((unit for unit in ("Gi", "Mi") if size % UNITS[unit] == 0), "Ki")
        facts.say(count, PAGES, node, f"{size // UNITS[unit]}{unit}")


def _mask(text: str) -> int:
    words = text.split(",")
    if len(words) > (MAX_ID + 1) // 32:
        raise ValueError("a map of too many CPUs")
    return int("".join(word.removeprefix("0x").zfill(8) for word in words), 16)


def read_lstopo(text: str, facts: Facts) -> None:
    """Read what ``lstopo --of xml`` writes, of hwloc 1 and 2."""
    root = _element(text, "topology", facts)
    machine = root.findall(".//object[@type='Machine']")[0]
    facts.cpus, nodes = _mask(machine.attrib["cpuset"]), []
    facts.offline = _mask(machine.get("complete_cpuset", machine.attrib["cpuset"])) & ~facts.cpus
    if facts.offline:
        facts.notes += (f"{facts.place}: CPUs {CpuSet.from_bits(facts.offline)} are offline, or not allowed to lstopo",)
    if "L3Cache" not in text and root.find(".//object[@depth='3']") is None:
        facts.say(0, COUNTS[CACHE])
    for index, element in enumerate(root.iter("object")):
        kind = "L3Cache" if (element.get("type"), element.get("depth")) == ("Cache", "3") else element.get("type", "")
        group = int(element.attrib["os_index"]) if kind == "NUMANode" else index
        nodes += [group] if kind == "NUMANode" else []
        for cpu in iter_bits(_mask(element.get("cpuset") or "0") & facts.cpus) if kind in _OBJECTS else ():
            subject = (_OBJECTS[kind], cpu)  # a NUMA node without CPUs has those that are near
            facts.says[subject] = min(facts.says.get(subject, group), group)
        if kind == "NUMANode" or (element is machine and "local_memory" in machine.attrib):
            facts.say(int(element.get("local_memory", "0")), MEMORY, group if kind == "NUMANode" else 0)
            pages = {int(page.attrib["size"]): int(page.attrib["count"]) for page in element.findall("page_type")}
            _say_pages(facts, group if kind == "NUMANode" else 0, {size: pages[size] for size in sorted(pages)[1:]})
    if not any(facts.column(MEMORY).values()):
        facts.says = {subject: value for subject, value in facts.says.items() if subject[0] != MEMORY}
    for cpu in iter_bits(facts.cpus) if not nodes else ():
        facts.say(0, NUMA, cpu)
    _read_latencies(root, nodes, facts)


def _read_latencies(root: ElementTree.Element, nodes: list[int], facts: Facts) -> None:
    """Read the distances of NUMA nodes: of hwloc 2 as whole numbers, of hwloc 1 as factors of a base."""
    for matrix in (*root.iter("distances2"), *root.iter("distances")):
        values = [float(word) for part in matrix.findall("u64values") for word in (part.text or "").split()]
        base = float(matrix.get("latency_base", "1"))
        values += [base * float(cell.attrib["value"]) for cell in matrix.findall("latency")]
        ids = [int(word) for part in matrix.findall("indexes") for word in (part.text or "").split()]
        if matrix.get("indexing", "os") == "os" and set(ids or nodes) == set(nodes) and len(values) == len(nodes) ** 2:
            pairs = [(row, to) for row in ids or nodes for to in ids or nodes]
            for (row, to), value in zip(pairs, values, strict=True):
                facts.says.setdefault((DISTANCE, row, to), round(value))


def read_libvirt(text: str, facts: Facts) -> None:
    """Read what ``virsh capabilities`` prints."""
    root = _element(text, "capabilities" if "<capabilities" in text else "topology", facts)
    has_sockets = root.find(".//cpu[@socket_id]") is not None
    for cell in root.iter("cell"):
        node = int(cell.attrib["id"])
        for memory in cell.findall("memory"):
            facts.say(int(memory.text or "") * UNITS[memory.get("unit", "KiB")[:2]], MEMORY, node)
        pages = {int(page.attrib["size"]) << 10: int(page.text or "") for page in cell.findall("pages")}
        _say_pages(facts, node, {page: pages[page] for page in sorted(pages)[1:]})
        for sibling in cell.iterfind("distances/sibling"):
            facts.say(int(sibling.attrib["value"]), DISTANCE, node, int(sibling.attrib["id"]))
        for cpu in cell.iterfind("cpus/cpu"):
            if not has_sockets:
                facts.put(int(cpu.attrib["id"]), {NUMA: node})
            elif "socket_id" in cpu.attrib:
                core = min(CpuSet.parse(cpu.attrib["siblings"]))
                facts.put(int(cpu.attrib["id"]), {NUMA: node, SOCKET: int(cpu.attrib["socket_id"]), CORE: core})
            else:
                facts.offline |= bit_of(int(cpu.attrib["id"]))
    for index, bank in enumerate(root.iterfind(".//bank[@level='3']")):
        for number in CpuSet.parse(bank.attrib["cpus"]):
            facts.say(index, CACHE, number)


def read_cadvisor(text: str, facts: Facts) -> None:
    """Read cadvisor's machine, ``/api/v1.3/machine``."""
    nodes = read_text(text[text.index("{") : text.rindex("}") + 1], facts.place)[0].value["topology"]
    for node in nodes:
        number = int(node["node_id"])
        facts.say(int(node["memory"]), MEMORY, number)
        pages = {int(page["page_size"]) << 10: int(page["num_pages"]) for page in node.get("hugepages") or ()}
        _say_pages(facts, number, pages)
        for other, distance in zip(nodes, node.get("distances") or (), strict=False):
            facts.say(int(distance), DISTANCE, number, int(other["node_id"]))
        for core in node["cores"] or ():
            caches = [*(core.get("uncore_caches") or ()), *(core.get("caches") or ()), *(node.get("caches") or ())]
            cache = next((int(cache.get("id", number)) for cache in caches if cache["level"] == 3), None)
            groups = {NUMA: number, SOCKET: core.get("socket_id"), CORE: min(core["thread_ids"]), CACHE: cache}
            for cpu in core["thread_ids"]:
                facts.put(cpu, groups)
    facts.say(None if facts.column(CACHE) else 0, COUNTS[CACHE])


def read_zones(text: str, facts: Facts) -> None:
    """Read a NodeResourceTopology: it has numbers of CPUs, and no ids."""
    objects = [document.value for document in read_text(text, facts.place)]
    objects = [item for obj in objects for item in obj.get("items", [obj])]
    topologies = [obj for obj in objects if obj.get("kind") == "NodeResourceTopology"]
    if len(topologies) != 1:
        raise UsageError(Fault(facts.place, f"has {len(topologies)} NodeResourceTopologies", "that of one node"))
    number = re.compile(r"[a-z-]*([0-9]{1,5})")
    for zone in topologies[0]["zones"]:
        node = int(number.fullmatch(zone["name"])[1])  # type: ignore[index]  # what is no NUMA node is an error
        for cost in zone.get("costs") or ():
            facts.say(int(cost["value"]), DISTANCE, node, int(number.fullmatch(cost["name"])[1]))  # type: ignore[index]
        amounts = {item["name"]: _amount(str(item["capacity"])) for item in zone.get("resources") or ()}
        bit_of(amounts.get("cpu", 0))  # refuses more than there can be
        facts.say(amounts.get("cpu", 0), SIZE, node)
        facts.say(amounts.get("memory"), MEMORY, node)
        for name, amount in amounts.items():
            if name.startswith("hugepages-"):
                size = _amount(name.removeprefix("hugepages-"))
                _say_pages(facts, node, {size: amount // size})
            elif "/" in name:
                if len(facts.devices) + amount > MAX_DEVICES:
                    raise UsageError(Fault(facts.place, f"has {amount} of {name}", f"at most {MAX_DEVICES} devices"))
                first = sum(device.resource == name for device in facts.devices)
                ids = range(first, first + amount)
                facts.devices += tuple(Device(name, f"{name.rpartition('/')[2]}-{at}", (node,)) for at in ids)


def _amount(text: str) -> int:
    number = text.rstrip("KMGTPi")
    return int(number) * {"": 1, **UNITS}[text[len(number) :]]


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
_GAP = re.compile(r"^[ \t]*(\[?(?:\.{3}|…)\]?)[ \t]*\n\s*(?:processor\b|[0-9]+[ \t,]+[0-9])", re.M)
_CUT = (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError)
"""What the readers raise where a text lacks something that it has where it is whole."""


def _reason(error: Exception) -> str:
    """Say in a person's words what a reader stumbled over, as far as that helps."""
    text = re.sub(r"^(?:invalid literal|could not convert).*?: ('.*)", r"\1 is no whole number", str(error)[:80])
    lacks = ": it lacks " if isinstance(error, KeyError) else ": "
    return f"{lacks}{text}" if isinstance(error, (KeyError, ValueError, SyntaxError)) else ""


def facts_of_text(content: str, place: str) -> list[Facts]:
    """Return what the texts in a file say, each by itself; nothing for what is none of them. Raises ``UsageError``."""
    if _MACHINE_FILE.search(content[:_HEAD]):
        return []
    text = plain_lines(content if len(content) <= MAX_BYTES else content[:_HEAD])
    readers = [(name, read) for name, sign, read in _READERS if sign.search(text)]
    if readers and len(content) > MAX_BYTES:
        raise UsageError(Fault(place, f"is larger than {MAX_BYTES} bytes", f"what {readers[0][0]} prints"))
    if readers and (gap := _GAP.search(text)):
        place = f"{place}:{text.count(chr(10), 0, gap.start(1)) + 1}"
        raise UsageError(Fault(place, f"leaves rows out: {gap[1]}", "every row that was printed"))
    every = []
    for name, read in readers:
        facts = Facts(f"{place} ({name})" if len(readers) > 1 else place)
        try:
            read(text, facts)
        except UsageError as error:
            raise error if str(error).startswith(place) else error.within(facts.place) from error
        except _CUT as error:
            wrong = f"is no whole text of {name}{_reason(error)}"
            raise UsageError(Fault(place, wrong, "the text from its first line to its last")) from error
        every.append(facts.finish())
    for pattern, instead in parts_of(text_of(__package__, "other_texts.txt")) if not every else ():
        if re.search(pattern, text, re.M | re.ASCII):
            raise UsageError(Fault(place, "is a text from which no machine can be read", instead[0]))
    return every
