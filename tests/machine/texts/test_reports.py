"""Texts as public reports have them, in our own words and figures: each is read right, or refused with a remedy."""

# ruff: noqa: E501, RUF001  (lines as they are pasted, in the letters of their languages)

import json
import os

import pytest

from numa_conformance.cpuset import format_bits
from numa_conformance.documents import read_text
from numa_conformance.errors import UsageError
from numa_conformance.machine import read_machine_file, summarize

GUEST = """\
    Architecture:          x86_64
    CPU op-mode(s):        32-bit, 64-bit
    CPU(s):                4
    On-line CPU(s) list:   0-3
    Thread(s) per core:    2
    Core(s) per socket:    2
    Socket(s):             1
    NUMA node(s):          1
    CPU family:            6
    Model:                 85
    Stepping:              7
    Hypervisor vendor:     KVM
    L1d cache:             32K
    L3 cache:              33792K   # shared
    NUMA node0 CPU(s):     0-3
"""
LARGE_ARM = """\
Architecture:                         aarch64
CPU(s):                               16
On-line CPU(s) list:                  0-15
Model:                                0
Thread(s) per core:                   1
Core(s) per cluster:                  4
Socket(s):                            -
Cluster(s):                           4
L1d cache:                            1 MiB (16 instances)
L3 cache:                             28 MiB (4 instances)
NUMA node(s):                         4
NUMA node0 CPU(s):                    0-3
NUMA node1 CPU(s):                    4-7
NUMA node2 CPU(s):                    8-11
NUMA node3 CPU(s):                    12-15
"""
OF_A_TERMINAL = """\
Architecture:                x86_64
  CPU op-mode(s):            32-bit, 64-bit
CPU(s):                      8
  On-line CPU(s) list:       0-7
Vendor ID:                   AuthenticAMD
  Model name:                Some processor
    CPU family:              26
    Model:                   68
    Thread(s) per core:      1
    Core(s) per socket:      8
    Socket(s):               1
Caches (sum of all):
  L1d:                       256 KiB (8 instances)
  L3:                        16 MiB (1 instance)
NUMA:
  NUMA node(s):              1
  NUMA node0 CPU(s):         0-7
Vulnerabilities:
  L1tf:                      Not affected
"""
CHINESE = """\
架构：                           x86_64
CPU:                             8
在线 CPU 列表：                  0-7
CPU 系列：                       23
型号：                           1
每个核的线程数：                 2
每个座的核数：                   2
座：                             2
步进：                           2
L1d 缓存：                       128 KiB (4 instances)
L3 缓存：                        16 MiB (2 instances)
NUMA 节点：                      2
NUMA 节点0 CPU：                 0-1,4-5
NUMA 节点1 CPU：                 2-3,6-7
"""
JAPANESE = (
    CHINESE.replace("每个核的线程数：", "コアあたりのスレッド数: ")
    .replace("NUMA 节点", "NUMA ノード ")
    .replace("：", ":")
)
FRENCH = """\
Processeur(s)\u00a0:                 8
Liste de processeur(s) en ligne\u00a0:  0-7
Thread(s) par c\u0153ur\u00a0:          1
C\u0153ur(s) par socket\u00a0:           4
Socket(s)\u00a0:                     2
Cache L1d\u00a0:                     32K
N\u0153ud NUMA 0 de processeur(s)\u00a0: 0,2,4,6
N\u0153ud NUMA 1 de processeur(s)\u00a0: 1,3,5,7
N\u0153ud(s) NUMA\u00a0:                2
"""
WITHOUT_MEMORY = """\
admin@box $ numactl -H
available: 4 nodes (0-3)
node 0 cpus: 0 1 8 9
node 0 size: 0 MB
node 1 cpus: 2 3 10 11
node 1 size: 64307 MB
node 1 free: 19214 MB
node 2 cpus: 4 5 12 13
node 2 size: 64472 MB
node 3 cpus: 6 7 14 15
node 3 size: 0 MB
node distances:
node   0   1   2   3
  0:  10  12  12  12
  1:  12  10  12  12
  2:  12  12  10  12
  3:  12  12  12  10
"""
REMARKS = """\
# available: 2 nodes (0-1)
# node 0 cpus: 0 1 2 3  (4 cores)
# node 0 size: 65536 MB
# node 1 cpus: 4 5 6 7
# node 1 size: 65536 MB
# node distances:
# node   0   1
#   0:  10  21    <- far
#   1:  21  10
"""
QUOTED = """\
> > ```
> > available: 3 nodes (0-2)
> > node 0 cpus: 0 1
> > node 0 size: 1000 MB
> > node 1 cpus: 2 3
> > node 1 size: 1000 MB
> > node 2 cpus:
> > node 2 size: 4000 MB
> > node distances:
> > node   0   1   2
> >    0:  10  20  40
> >    1:  20  10  40
> >    2:  40  40  10
> > ```
"""
EFFICIENT_CORES = """\
$ lscpu -e
CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ   MINMHZ       MHZ
  0    0      0    0 0:0:0:0          yes 4700,0000 400,0000  400.2610
  1    0      0    0 0:0:0:0          yes 4700,0000 400,0000  400.2610
  2    0      0    1 64:64:8          yes 3700,0000 400,0000 1334.2030
  3    0      0    2 66:66:8          yes 3700,0000 400,0000 1360.1370
"""
ARROWS = """\
CPU NODE SOCKET CORE
  0    0      0    0 <- 1 core
  1    0      0    0
  2    0      0    1 <- 2 core
  3    0      0    1
"""
NO_HEADER = "0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,0,1,1,,2,2,2,1\n3,1,1,1,,3,3,3,1\n"
CELLS = """\
virsh # capabilities
<topology>
  <cells num='2'>
    <cell id='0'>
      <memory unit='KiB'>8388608</memory>
      <cpus num='2'>
        <cpu id='0' socket_id='0' core_id='0' siblings='0,2'/>
        <cpu id='2' socket_id='0' core_id='0' siblings='0,2'/>
      </cpus>
    </cell>
    <cell id='1'>
      <memory unit='GiB'>8</memory>
      <cpus num='3'>
        <cpu id='1' socket_id='1' core_id='0' siblings='1,3'/>
        <cpu id='3' socket_id='1' core_id='0' siblings='1,3'/>
        <cpu id='4'/>
      </cpus>
    </cell>
  </cells>
</topology>
"""
ZONES = """\
$ kubectl get noderesourcetopologies worker -o yaml
apiVersion: topology.node.k8s.io/v1alpha2
kind: NodeResourceTopology
metadata: {name: worker}
topologyPolicies: [SingleNUMANodeContainerLevel]
zones:
- name: node-0
  type: Node
  costs: [{name: node-0, value: 10}, {name: node-1, value: 21}]
  resources:
  - {name: example.com/gpu, capacity: "2", allocatable: "2", available: "2"}
  - {name: cpu, capacity: "16", allocatable: "16", available: "16"}
  - {name: memory, capacity: 128Gi, allocatable: 128Gi, available: 128Gi}
  - {name: hugepages-2Mi, capacity: 64Mi, allocatable: 64Mi, available: 64Mi}
- name: node-1
  type: Node
  costs: [{name: node-0, value: 21}, {name: node-1, value: 10}]
  resources:
  - {name: cpu, capacity: 16, allocatable: 16, available: 16}
  - {name: memory, capacity: "137438953472", allocatable: "137438953472", available: "137438953472"}
"""
CADVISOR = """\
[root@w1 ~]# curl -s localhost:8080/api/v1.3/machine
{"num_cores":4,"topology":[{"node_id":0,"memory":8000000000,"hugepages":null,"cores":[
 {"core_id":0,"thread_ids":[0,2],"caches":null,"socket_id":0,"uncore_caches":[{"id":0,"level":3}]},
 {"core_id":1,"thread_ids":[1,3],"caches":null,"socket_id":0,"uncore_caches":[{"id":1,"level":3}]}]}]}
"""
OLD_LSTOPO = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc.dtd">
<topology>
 <object type="Machine" os_index="0" cpuset="0x0000000f" complete_cpuset="0x0000001f">
  <object type="NUMANode" os_index="0" cpuset="0x00000003" local_memory="1073741824">
   <page_type size="4096" count="1"/><page_type size="2097152" count="8"/>
   <object type="Socket" os_index="0" cpuset="0x00000003"><object type="Cache" cpuset="0x00000003" depth="3"/>
    <object type="Core" cpuset="0x00000003"/></object></object>
  <object type="NUMANode" os_index="1" cpuset="0x0000000c" local_memory="1073741824">
   <object type="Socket" os_index="1" cpuset="0x0000000c"><object type="Cache" cpuset="0x0000000c" depth="3"/>
    <object type="Core" cpuset="0x0000000c"/></object></object>
  <distances nbobjs="2" relative_depth="1" latency_base="10.000000">
   <latency value="1.000000"/><latency value="2.100000"/><latency value="2.100000"/><latency value="1.000000"/>
  </distances>
 </object>
</topology>
"""
CPUINFO = "\n\n".join(
    f"processor\t: {cpu}\nmodel name\t: Some @ 2.1GHz\nphysical id\t: {cpu % 2}\nsiblings\t: 4\ncore id\t\t: {cpu // 2 % 2}\n"
    f"cpu cores\t: 2" for cpu in range(8)
)  # fmt: skip
MAINFRAME = "vendor_id       : IBM/S390\n# processors    : 2\nprocessor 0: version = FF\nprocessor 1: version = FF\n"
READ = {
    "an indented guest": (GUEST, "1 socket, 1 NUMA node, 1 uncore cache, 2 cores of 2 threads, 4 CPUs", "0,2 1,3"),
    "Arm without sockets": (LARGE_ARM, "4 sockets, 4 NUMA nodes, 4 uncore caches, 16 cores of 1 thread, 16 CPUs", ""),
    "a terminal": (OF_A_TERMINAL, "1 socket, 1 NUMA node, 1 uncore cache, 8 cores of 1 thread, 8 CPUs", ""),
    "Chinese": (CHINESE, "2 sockets, 2 NUMA nodes, 2 uncore caches, 4 cores of 2 threads, 8 CPUs", "0,4 1,5 2,6 3,7"),
    "Japanese": (JAPANESE, "2 sockets, 2 NUMA nodes, 2 uncore caches, 4 cores of 2 threads, 8 CPUs", "0,4 1,5 2,6 3,7"),
    "French": (FRENCH, "2 sockets, 2 NUMA nodes, 0 uncore caches, 8 cores of 1 thread, 8 CPUs", ""),
    "nodes without memory": (
        WITHOUT_MEMORY,
        "1 socket, 4 NUMA nodes, 0 uncore caches, 8 cores of 2 threads, 16 CPUs, 125.8 GiB",
        "0,8 1,9 2,10 3,11 4,12 5,13 6,14 7,15",
    ),
    "remarks": (REMARKS, "2 sockets, 2 NUMA nodes, 0 uncore caches, 8 cores of 1 thread, 8 CPUs, 128.0 GiB", ""),
    "a quoted mail": (QUOTED, "2 sockets, 3 NUMA nodes (1 without CPUs), 0 uncore caches, 4 cores of 1 thread, 4 CPUs", ""),
    "cores without L3": (EFFICIENT_CORES, "1 socket, 1 NUMA node, 1 uncore cache, 3 cores of 1 or 2 threads, 4 CPUs", "0-1 2 3"),
    "arrows": (ARROWS, "1 socket, 1 NUMA node, 0 uncore caches, 2 cores of 2 threads, 4 CPUs", "0-1 2-3"),
    "no header": (NO_HEADER, "2 sockets, 2 NUMA nodes, 2 uncore caches, 4 cores of 1 thread, 4 CPUs", ""),
    "a part of XML": (CELLS, "2 sockets, 2 NUMA nodes, 0 uncore caches, 2 cores of 2 threads, 4 CPUs and 1 offline, 16.0", "0,2 1,3"),
    "zones": (ZONES, "2 sockets, 2 NUMA nodes, 0 uncore caches, 32 cores of 1 thread, 32 CPUs, 256.0 GiB, 2 devices", ""),
    "cadvisor": (CADVISOR, "1 socket, 1 NUMA node, 2 uncore caches, 2 cores of 2 threads, 4 CPUs, 7.5 GiB", "0,2 1,3"),
    "hwloc 1": (OLD_LSTOPO, "2 sockets, 2 NUMA nodes, 2 uncore caches, 2 cores of 2 threads, 4 CPUs and 1 offline, 2.0", "0-1 2-3"),
    "cpuinfo": (CPUINFO, "2 sockets, 2 NUMA nodes, 0 uncore caches, 4 cores of 2 threads, 8 CPUs", "0,4 1,5 2,6 3,7"),
    "a mainframe": (MAINFRAME, "1 socket, 1 NUMA node, 0 uncore caches, 2 cores of 1 thread, 2 CPUs", ""),
    "lines of NUMA alone": (
        "$ lscpu | grep -i numa\nNUMA node(s): 2\nNUMA node0 CPU(s): 0-7\nNUMA node1 CPU(s): 8-15\n",
        "2 sockets, 2 NUMA nodes, 0 uncore caches, 16 cores of 1 thread, 16 CPUs",
        "",
    ),
    "dots behind a table": ("CPU NODE CORE\n0 0 0\n1 0 1\n...\n1. see above\n", "1 socket, 1 NUMA node, 0 uncore caches, 2 cores", ""),
    "runs of CPUs in numactl": (
        "available: 1 nodes (0)\nnode 0 cpus: 0-3, 8-11 14\nnode 0 size: 7939 MB\n",
        "1 socket, 1 NUMA node, 0 uncore caches, 9 cores of 1 thread, 9 CPUs",
        "",
    ),
    "two texts in a report": (
        f"We see this:\n\n{GUEST}\nand\n\n    available: 1 nodes (0)\n    node 0 cpus: 0 1 2 3\n    node 0 size: 7939 MB\n",
        "1 socket, 1 NUMA node, 1 uncore cache, 2 cores of 2 threads, 4 CPUs, 7.8 GiB",
        "0,2 1,3",
    ),
}  # fmt: skip
REFUSED = {
    "hybrid": (
        GUEST.replace("CPU(s):                4", "CPU(s):                20").replace("0-3", "0-19").replace("Core(s) per socket:    2", "Core(s) per socket:    14"),
        "20 CPUs, and cores of up to 2 threads: they are not alike (accepted: lscpu -e",
    ),
    "cut off": (LARGE_ARM.partition("NUMA node2")[0], "lists 2 of 4 NUMA nodes, or not all CPUs (accepted: the whole text"),
    "cut off numactl": (WITHOUT_MEMORY.partition("node 2")[0], "lists 2 of 4 NUMA nodes (accepted: the whole text"),
    "masks": (LARGE_ARM.replace("0-15", "0xffff").replace("CPU(s):                    0-3", "CPU(s):                    f"), "'f' in 'f' is not an id"),
    "elided XML": (CELLS.replace("<cell id='1'>", "..."), "is no whole text of virsh capabilities"),
    "no end of XML": (CELLS.partition("</topology>")[0], "is cut off (accepted: the XML from <topology to </topology>"),
    "two nodes": (ZONES.partition("\n")[2] + "---\n" + ZONES.partition("\n")[2], "has 2 NodeResourceTopologies (accepted: that of one"),
    "many devices": (ZONES.replace('capacity: "2"', "capacity: 64Mi"), "has 67108864 of example.com/gpu (accepted: at most 65536 devices"),
    "a binding": ("policy: default\nphyscpubind: 0 1 2 3\nnodebind: 0\nmembind: 0\n", "numactl -H in place of numactl --show"),
    "a picture of lstopo": ("Machine (64GB total)\n  Package L#0\n    NUMANode L#0 (P#0 31GB)\n", "lstopo --of xml"),
    "dmidecode": ("Handle 0x0004, DMI type 4\nProcessor Information\n", "in place of dmidecode"),
    "a described node": ("Name: w1\nCapacity:\n  cpu: 8\nAllocatable:\n  cpu: 7\n", "lscpu -e and numactl -H, run on the node"),
    "a table of GPUs": ("\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tNV18\t0-31\n", "in place of nvidia-smi topo -m"),
    "numastat": ("              node0      node1\nnuma_hit       1221       1213\n", "lscpu -e and numactl -H in place of numastat"),
    "numastat -m": ("Per-node system memory usage (in MBs):\n     Node 0\nMemTotal 1.00\n", "in place of numastat"),
    "virsh nodeinfo": ("CPU model:    x86_64\nCPU(s):       64\nNUMA cell(s): 2\n", "or without it lscpu -e and numactl -H"),
    "a file of /sys": ("0-15\n", "in place of files of /sys"),
    "a container of docker": ('[{"Id": "a", "HostConfig": {"CpusetCpus": "0-3"}}]', "run on the host, in place of docker"),
    "a processor of Talos": ("NODE   NAMESPACE   TYPE   ID\n10.0.0.2 hardware Processor CPU-0\n", "kubectl debug node/NODE"),
    "no NUMA": ("No NUMA support available on this system.\n", "lscpu -e"),
    "prose": ("it does not start\n", "accepted: a machine, a host tree, or a text of"),
    "entities": ('<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>' + OLD_LSTOPO.partition("\n")[2], "declares entities"),
    "a part of cadvisor": (CADVISOR.replace('"topology"', '"topologies"'), "is no whole text of cadvisor's machine"),
    "parts of CPUs": (ZONES.replace('capacity: "16"', 'capacity: "7.5"'), "NodeResourceTopology: '7.5' is no whole number (accepted"),
    "XML with a gap": (OLD_LSTOPO.replace("</object>", "", 1), "lstopo --of xml: mismatched tag: line"),
    "XML without sets": (OLD_LSTOPO.replace(" cpuset=", " cpus="), "lstopo --of xml: it lacks 'cpuset'"),
    "large ids": ("node 0 cpus: 0 99999\nnode 0 size: 1 MB\n", "'99999' is above 65535"),
    "rows left out": ("CPU NODE CORE\n0 0 0\n1 0 1\n[...]\n63 1 63\n", "issue.md:4: leaves rows out: [...] (accepted: every"),
    "processors left out": ("processor\t: 0\nmodel\t: 1\n\n...\n\nprocessor\t: 3\n", "issue.md:4: leaves rows out: ..."),
    "CPUs left out": ("node 0 cpus: 0 1 2 ... 31\nnode 0 size: 1 MB\n", "'...' in '0,1,2,...,31' is not an id or a range"),
    "no CPU": ("available: 1 nodes (0)\nnode 0 cpus:\nnode 0 size: 1 MB\n", "has 0 CPUs on 1 NUMA nodes"),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_a_text_of_a_report_is_read(tmp_path, name):
    text, expected, cores = READ[name]
    (tmp_path / "issue.md").write_text(text)
    machine = read_machine_file(tmp_path / "issue.md")
    assert summarize(machine).startswith(expected)
    pairs = [format_bits(bits) for bits in machine.core_bits]
    assert not cores or " ".join(pairs) == cores
    assert all(note.startswith(("not seen: ", str(tmp_path))) for note in machine.notes)


@pytest.mark.parametrize("name", REFUSED)
def test_a_text_that_makes_no_machine_is_refused_with_a_remedy(tmp_path, name):
    text, expected = REFUSED[name]
    (tmp_path / "issue.md").write_text(text)
    with pytest.raises(UsageError) as error:
        read_machine_file(tmp_path / "issue.md")
    assert expected in str(error.value)
    assert str(tmp_path / "issue.md") in str(error.value)


def test_facts_of_zones_and_distances_are_kept(tmp_path):
    (tmp_path / "zones").write_text(ZONES)
    machine = read_machine_file(tmp_path / "zones")
    assert machine.distances == ((10, 21), (21, 10))
    assert [(device.id, device.numa) for device in machine.devices] == [("gpu-0", (0,)), ("gpu-1", (0,))]
    assert machine.memory[0].hugepages == {"2Mi": 32}
    assert "not seen: ids of CPUs; assumed: the CPUs 0-15 on 0, 16-31 on 1 (lscpu -e prints it)" in machine.notes


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (GUEST, ARROWS.replace("3    0      0    1", "3    1      0    1"), "NUMA node of CPU 3 is 0, and 1"),
        (GUEST, REMARKS, "the CPUs 0-3, and 0-7"),
        (GUEST, GUEST.replace("Thread(s) per core:    2", "Thread(s) per core:    1"), "threads of a core is 2, and 1"),
        (ARROWS, NO_HEADER, "NUMA node of CPU 2 is 0, and 1"),
        (CELLS, "node 0 cpus: 0 2\nnode 0 size: 8191 MB\nnode 1 cpus: 1 3\n", "bytes of NUMA node 0 is 8589934592, and 8588886016"),
    ],
)  # fmt: skip
def test_texts_that_contradict_each_other_are_one_error_that_names_both(tmp_path, one, other, expected):
    (tmp_path / "one.txt").write_text(one)
    (tmp_path / "other.log").write_text(other)
    with pytest.raises(UsageError) as error:
        read_machine_file(tmp_path / "one.txt", tmp_path / "other.log")
    assert expected in str(error.value)
    assert f"{tmp_path}/one.txt and {tmp_path}/other.log: contradict each other" in str(error.value)


def test_a_text_over_the_bound_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "large").write_text(NO_HEADER + "#" * 17_000_000)
    with pytest.raises(UsageError) as error:
        read_machine_file(tmp_path / "large")
    assert str(error.value) == f"{tmp_path}/large: is larger than 16777216 bytes (accepted: what lscpu -p prints)"


@pytest.mark.parametrize(
    "written",
    [
        REMARKS.encode("utf-16"),
        REMARKS.replace("\n", "\r\n").encode(),
        "".join(f"\t> {line}\n" for line in REMARKS.splitlines()).encode(),
        f"\x1b[1m$ numactl -H\x1b[0m\n```console\n{REMARKS}```\n".encode(),
    ],
    ids=["UTF-16", "CRLF", "a quote", "a fence"],
)
def test_what_surrounds_a_text_does_no_harm(tmp_path, written):
    (tmp_path / "mail").write_bytes(written)
    machine = read_machine_file(tmp_path / "mail")
    assert (machine.numa_bits, machine.distances) == ({0: 15, 1: 240}, ((10, 21), (21, 10)))


def test_zones_are_read_as_kubectl_prints_a_list_as_json_in_one_line(tmp_path):
    items = read_text(ZONES.partition("\n")[2], "zones")[0].value
    (tmp_path / "list.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [items]}))
    (tmp_path / "zones").write_text(ZONES)
    listed, single = read_machine_file(tmp_path / "list.json"), read_machine_file(tmp_path / "zones")
    assert (listed.cpus, listed.memory, listed.devices) == (single.cpus, single.memory, single.devices)


def test_a_pipe_of_a_shell_is_read_once_and_whole(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, REMARKS.encode())
    os.close(writing)
    try:
        assert len(read_machine_file(f"/dev/fd/{reading}").cpus) == 8
    finally:
        os.close(reading)


def machine_of(tmp_path, text):
    (tmp_path / "pasted.txt").write_text(text)
    return read_machine_file(tmp_path / "pasted.txt")


SIZES = "node 0 size: 4096 MB\n"


@pytest.mark.parametrize("lines", ["0 1 2 3", "0 1\n2 3", "0 1 2\n  3", "0\n1\n2\n3", "0 1 2 3 \n"])
def test_a_list_of_cpus_may_be_cut_into_lines(tmp_path, lines):
    machine = machine_of(
        tmp_path, f"available: 1 nodes (0)\nnode 0 cpus: {lines}\n{SIZES}node distances:\nnode 0\n 0: 10\n"
    )
    assert [cpu.id for cpu in machine.cpus] == [0, 1, 2, 3]


def test_sockets_have_whole_numa_nodes_also_of_unequal_size(tmp_path):
    text = f"available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2\n{SIZES}node 1 cpus: 3\nnode 1 size: 4096 MB\n"
    alone = machine_of(tmp_path, text)
    assert [cpu.socket for cpu in alone.cpus] == [0, 0, 0, 1]
    assert any("the CPUs 0-2 on 0, 3 on 1" in note for note in alone.notes)
    near = machine_of(tmp_path, f"{text}node distances:\nnode 0 1\n 0: 10 12\n 1: 12 10\n")
    assert [cpu.socket for cpu in near.cpus] == [0, 0, 0, 0]
    far = machine_of(tmp_path, f"{text}node distances:\nnode 0 1\n 0: 10 20\n 1: 20 10\n")
    assert [cpu.socket for cpu in far.cpus] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("rows", "cpus", "offline"),
    [
        ("# CPU,Core,Socket,Node,,L1d\n0,0,0,0,,0\n1,1,0,0,,1\n2,,,,,\n", [0, 1], (2,)),
        ("CPU NODE SOCKET CORE\n0 0 0 0\n1 - - -\n", [0], (1,)),
        ("# CPU,Core,Socket,Node,Online\n0,0,0,0,Y\n1,,,,N\n", [0], (1,)),
        ("# CPU,Core,Socket,Node\n0,,,\n1,,,\n", [0, 1], ()),
        ("# CPU,Node\n0,0\n1,\n", [0, 1], ()),
    ],
)
def test_a_cpu_of_which_nothing_is_told_is_offline(tmp_path, rows, cpus, offline):
    machine = machine_of(tmp_path, rows)
    assert ([cpu.id for cpu in machine.cpus], machine.offline) == (cpus, offline)


def test_a_list_of_processors_that_lacks_some_is_noted(tmp_path):
    whole = machine_of(tmp_path, CPUINFO)
    assert not any("is cut" in note for note in whole.notes)
    cut = machine_of(tmp_path, "\n\n".join(CPUINFO.split("\n\n")[:7]))
    (told,) = (note for note in cut.notes if "is cut" in note)
    assert told.startswith("not seen: 1 of 4 CPUs of socket 1; assumed: offline, unless ")
