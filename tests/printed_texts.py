"""What tools print of a machine: lscpu, numactl, lstopo, cadvisor, libvirt, an exporter of NodeResourceTopology."""

from __future__ import annotations

import json

from numa_conformance.cpuset import CpuSet, bits_of, format_bits


def cores_of(machine):
    return {cpu: at for at, bits in enumerate(machine.core_bits) for cpu in CpuSet.from_bits(bits)}


def lscpu_e(machine):
    cores = cores_of(machine)
    lines = ["CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE    MAXMHZ"]
    for cpu in machine.cpus:
        core = cores[cpu.id]
        caches = f"{core}:{core}:{core}" + (f":{cpu.uncore}" if cpu.uncore is not None else "")
        lines.append(f"{cpu.id:3} {cpu.numa:4} {cpu.socket:6} {core:4} {caches:13} yes 3500.0000")
    lines += [f"{cpu:3}    -      -    - -             no         -" for cpu in machine.offline]
    return "\n".join(lines) + "\n"


def lscpu_p(machine):
    cores = cores_of(machine)
    lines = ["# a comment in some language", "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3"]
    for cpu in machine.cpus:
        core = cores[cpu.id]
        uncore = "" if cpu.uncore is None else cpu.uncore
        lines.append(f"{cpu.id},{core},{cpu.socket},{cpu.numa},,{core},{core},{core},{uncore}")
    return "\n".join(lines) + "\n"


def numactl(machine):
    lines = [f"available: {len(machine.memory)} nodes ({CpuSet(machine.numa_ids)})"]
    for node in machine.memory:
        cpus = "".join(f" {cpu.id}" for cpu in machine.cpus if cpu.numa == node.node)
        lines += [f"node {node.node} cpus:{cpus}"]
        if node.memory is not None:
            lines += [f"node {node.node} size: {node.memory >> 20} MB", f"node {node.node} free: 1 MB"]
    if machine.distances:
        lines += ["node distances:", "node " + "".join(f"{node:4}" for node in machine.numa_ids)]
        rows = zip(machine.numa_ids, machine.distances, strict=True)
        lines += [f"{node:3}: " + "".join(f"{value:4}" for value in row) + " " for node, row in rows]
    return "\n".join(lines) + "\n"


def mask(bits):
    words = []
    while bits or not words:
        words.insert(0, f"0x{bits & 0xFFFFFFFF:08x}")
        bits >>= 32
    return ",".join(words)


def size_of(page):
    return int(page[:-2]) * {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30}[page[-2:]]


def lstopo(machine):
    sets = [("Package", bits) for bits in machine.socket_bits.values()]
    sets += [("L3Cache", bits) for bits in machine.uncore_bits.values()]
    sets += [("Core", bits) for bits in machine.core_bits]
    every = machine.online_bits | bits_of(machine.offline)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<!DOCTYPE topology SYSTEM "hwloc2.dtd">',
        '<topology version="2.0">',
    ]
    lines += [
        f'<object type="Machine" os_index="0" cpuset="{mask(machine.online_bits)}" complete_cpuset="{mask(every)}">'
    ]
    lines += [f'<object type="{kind}" cpuset="{mask(bits)}"/>' for kind, bits in sets]
    for node in machine.memory:
        cpus = bits_of(cpu.id for cpu in machine.cpus if cpu.numa == node.node)
        memory = f' local_memory="{node.memory}"' if node.memory else ""
        lines += [f'<object type="NUMANode" os_index="{node.node}" cpuset="{mask(cpus)}"{memory}>']
        lines += ['<page_type size="4096" count="1"/>']
        lines += [f'<page_type size="{size_of(page)}" count="{count}"/>' for page, count in node.hugepages.items()]
        lines += ["</object>"]
    lines += ["</object>"]
    if machine.distances:
        flat = " ".join(str(value) for row in machine.distances for value in row)
        lines += [f'<distances2 type="NUMANode" nbobjs="{len(machine.numa_ids)}" name="NUMALatency" indexing="os">']
        lines += [f'<indexes length="1">{" ".join(map(str, machine.numa_ids))} </indexes>']
        lines += [f'<u64values length="1">{flat} </u64values></distances2>']
    return "\n".join([*lines, "</topology>"]) + "\n"


def cadvisor(machine):
    nodes = []
    for at, node in enumerate(machine.memory):
        cores = []
        for bits in machine.core_bits:
            members = [cpu for cpu in machine.cpus if bits >> cpu.id & 1]
            if members[0].numa == node.node:
                caches = [{"id": members[0].uncore, "level": 3}] if members[0].uncore is not None else None
                cores.append(
                    {
                        "core_id": members[0].core or 0,
                        "thread_ids": [cpu.id for cpu in members],
                        "socket_id": members[0].socket,
                        "uncore_caches": caches,
                    }
                )
        nodes.append(
            {
                "node_id": node.node,
                "memory": node.memory or 0,
                "hugepages": [
                    {"page_size": size_of(page) >> 10, "num_pages": count} for page, count in node.hugepages.items()
                ],
                "cores": cores or None,
                "distances": machine.distances[at] if machine.distances else None,
            }
        )
    return json.dumps({"num_cores": len(machine.cpus), "topology": nodes})


def libvirt(machine):
    cells = []
    for at, node in enumerate(machine.memory):
        cpus = [cpu for cpu in machine.cpus if cpu.numa == node.node]
        siblings = {cpu: format_bits(bits) for bits in machine.core_bits for cpu in CpuSet.from_bits(bits)}
        rows = machine.distances[at] if machine.distances else ()
        cells.append(
            f"<cell id='{node.node}'><memory unit='KiB'>{(node.memory or 0) >> 10}</memory>"
            "<pages unit='KiB' size='4'>1</pages>"
            + "".join(
                f"<pages unit='KiB' size='{size_of(page) >> 10}'>{count}</pages>"
                for page, count in node.hugepages.items()
            )
            + "<distances>"
            + "".join(f"<sibling id='{n}' value='{v}'/>" for n, v in zip(machine.numa_ids, rows, strict=False))
            + "</distances><cpus>"
            + "".join(
                f"<cpu id='{cpu.id}' socket_id='{cpu.socket}' core_id='0' siblings='{siblings[cpu.id]}'/>"
                for cpu in cpus
            )
            + "</cpus></cell>"
        )
    banks = "".join(f"<bank id='0' level='3' cpus='{format_bits(bits)}'/>" for bits in machine.uncore_bits.values())
    return (
        f"<capabilities>\n<host><topology><cells num='{len(cells)}'>{''.join(cells)}</cells></topology>"
        f"<cache>{banks}</cache></host>\n</capabilities>\n"
    )
