"""Real programs on machines that are not there, each asked what it sees."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from asked_in_full import DEEP
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import load_machine
from numa_conformance.machine.hostfs import read_machine

ON = (sys.executable, "-m", "numa_conformance", "machines", "run")
SEEN = ("amd-milan-7763-nps4", "intel-core-ultra-5-225u", "offline-cpus", "memory-only-node", "node-without-memory",
            "sparse-ids", "four-sockets-smt4", "two-nodes-hugepages", "uneven-nodes", "forty-numa-nodes")  # fmt: skip
MACHINES = SEEN if DEEP else SEEN[::6]
IN_A_NAMESPACE = subprocess.run([*ON, "one-cpu", "true"], capture_output=True, text=True, check=False)
pytestmark = pytest.mark.skipif(
    IN_A_NAMESPACE.returncode != 0,
    reason=f"this system has no mount namespaces for this user: {IN_A_NAMESPACE.stderr.strip()}",
)


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def on(machine, *words, **kwargs):
    done = subprocess.run([*ON, machine, "--", *words], capture_output=True, text=True, check=False, **kwargs)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(params=MACHINES)
def machine(request):
    return load_machine(request.param)


@needs("lscpu")
def test_lscpu_sees_cpus_cores_sockets_nodes_and_caches(machine):
    lines = on(machine.name, "lscpu", "-p=CPU,CORE,SOCKET,NODE,CACHE").splitlines()
    head = [line for line in lines if line.startswith("#")][-1].removeprefix("# ").split(",")
    # lscpu ends a row early where a CPU has no cache of the last level.
    rows = [dict(zip(head, line.split(","), strict=False)) for line in lines if not line.startswith("#")]

    def groups(column):
        found = {}
        for row in rows:
            if row.get(column):
                found[row[column]] = found.get(row[column], 0) | 1 << int(row["CPU"])
        return sorted(found.values())

    assert groups("CPU") == [1 << cpu.id for cpu in machine.cpus]
    assert groups("Core") == sorted(machine.core_bits)
    assert groups("Socket") == sorted(machine.socket_bits.values())
    assert groups("Node") == sorted(bits for bits in machine.numa_bits.values() if bits)
    assert groups("L3") == sorted(machine.uncore_bits.values())
    assert groups("L1d") == groups("L2") == sorted(machine.core_bits)


@needs("lscpu")
def test_lscpu_lists_the_caches_of_every_level_with_all_figures():
    table = on("amd-milan-7763-nps4", "lscpu", "-C", "--json")
    caches = {one["name"]: one for one in json.loads(table)["caches"]}
    assert caches.keys() == {"L1d", "L1i", "L2", "L3"}
    assert all(value not in (None, "") for one in caches.values() for value in one.values())


@needs("numactl")
def test_numactl_sees_nodes_memory_and_distances(machine):
    done = subprocess.run(
        [*ON, machine.name, "--", "numactl", "--hardware"], capture_output=True, text=True, check=True
    )
    if machine.cpus[-1].id >= 64 and "Cannot parse cpumap" in done.stderr:
        pytest.skip("libnuma reads as many CPUs as the sets of the running kernel have room for: fewer than these")
    seen = done.stdout
    cpus = {
        int(node): CpuSet(map(int, ids.split())).bits for node, ids in re.findall(r"node (\d+) cpus:([ \d]*)", seen)
    }
    assert cpus == machine.numa_bits
    sizes = {int(node): int(size) for node, size in re.findall(r"node (\d+) size: (\d+) MB", seen)}
    assert sizes == {one.node: one.memory >> 20 for one in machine.memory if one.memory is not None}
    rows = re.findall(r"^ +\d+: +([ \d]+)$", seen, re.MULTILINE)
    assert [tuple(map(int, row.split())) for row in rows] == list(machine.distances or ())


@needs("lstopo")
def test_hwloc_sees_every_object(machine):
    seen = on(machine.name, "lstopo", "--of", "xml")
    counted = {kind: seen.count(f'<object type="{kind}"') for kind in ("PU", "Core", "Package", "NUMANode", "L3Cache")}
    assert counted == {
        "PU": len(machine.cpus),
        "Core": len(machine.core_bits),
        "Package": len(machine.socket_bits),
        "NUMANode": len(machine.memory),
        "L3Cache": len(machine.uncore_bits),
    }


@needs("hwloc-calc")
def test_hwloc_calc_answers_for_the_machine():
    assert on("amd-milan-7763-nps4", "hwloc-calc", "--intersect", "numa", "core:16-31").strip() == "1"


def test_our_own_reader_sees_the_machine(machine):
    program = (
        "import sys; from numa_conformance.cli import main; main(['machines', 'capture', '--json', '--name', 'x'])"
    )
    told = json.loads(on(machine.name, sys.executable, "-c", program))
    assert [cpu["id"] for cpu in told["cpus"]] == [cpu.id for cpu in machine.cpus]


def test_every_file_can_be_read_and_every_link_leads_somewhere():
    script = """
        for folder in /sys/devices/system /sys/bus/cpu/devices /sys/bus/node/devices /sys/kernel/mm/hugepages; do
            find $folder -type l ! -exec test -e {} \\; -print
            find $folder -type f -path '*/cpu*' -exec cat {} + > /dev/null || echo unreadable
        done
        cat /proc/cpuinfo /proc/meminfo /proc/stat > /dev/null"""
    assert on("two-nodes-hugepages", "sh", "-c", script) == ""


def test_pools_of_huge_pages_are_the_machines():
    machine = load_machine("two-nodes-hugepages")
    pages = sum(node.hugepages["2Mi"] for node in machine.memory)
    assert on(machine.name, "cat", "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages").strip() == str(pages)


def test_the_time_of_boot_is_the_hosts_and_every_cpu_has_its_line():
    seen = on("t1-one-socket-smt2", "cat", "/proc/stat")
    assert re.search(r"^btime (\d+)$", seen, re.MULTILINE)[0] in Path("/proc/stat").read_text()
    assert len(re.findall(r"^cpu\d+ ", seen, re.MULTILINE)) == 8


def test_the_tree_cannot_be_written_to():
    script = "{ echo 0 > /sys/devices/system/cpu/cpu1/online; } 2>&1 | grep -c Read-only"
    assert on("t1-one-socket-smt2", "sh", "-c", script).strip() == "1"


@pytest.mark.parametrize(
    ("words", "code"), [(("sh", "-c", "exit 7"), 7), (("nonesuch",), 127), (("/etc/passwd",), 126)]
)
def test_the_exit_code_is_the_commands(words, code):
    assert subprocess.run([*ON, "one-cpu", "--", *words], capture_output=True, check=False).returncode == code


def test_the_command_is_the_process_that_was_started_and_gets_its_signals():
    # No process stands between: what ends ours ends the command, and the kernel unmounts with it.
    with subprocess.Popen(
        [*ON, "one-cpu", "--", "sh", "-c", "echo $$; exec sleep 3600"], stdout=subprocess.PIPE
    ) as child:
        assert int(child.stdout.readline()) == child.pid
        assert "numa-conformance" in Path(f"/proc/{child.pid}/mounts").read_text()
        child.send_signal(signal.SIGTERM)
        assert child.wait() == -signal.SIGTERM


def test_nothing_is_left_after_a_kill():
    with subprocess.Popen([*ON, "one-cpu", "--", "sh", "-c", "echo; exec sleep 3600"], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        child.kill()
    assert "numa-conformance" not in Path("/proc/self/mounts").read_text()
    assert not Path(f"/proc/{child.pid}").exists()


def test_a_terminal_passes_through():
    import pty

    seen = b""
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [*ON, "one-cpu", "--", "sh", "-c", "test -t 0 && test -t 1 && echo a terminal"])
    while b"a terminal" not in seen:
        try:
            seen += os.read(terminal, 1024)
        except OSError:  # what Linux answers at the end
            break
    os.waitpid(child, 0)
    os.close(terminal)
    assert b"a terminal" in seen


SOMEBODY_ELSE = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
MAY_READ = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")  # this Python, wherever it lies


@needs("setpriv")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else to see how it goes without root")
@pytest.mark.parametrize(("options", "seen_as"), [((), "65534"), (("--as-root",), "0")])
def test_whoever_is_not_root_stays_themselves_unless_they_ask(options, seen_as):
    script = "id -u; cat /sys/devices/system/cpu/online; sed -n 's/^CapEff:.//p' /proc/self/status"
    words = (*SOMEBODY_ELSE, *MAY_READ, *ON, *options, "t1-one-socket-smt2", "--", "sh", "-c", script)
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if "mounts of your own" in done.stderr:
        pytest.skip(f"no user namespaces here: {done.stderr.strip()}")
    user, online, capabilities = done.stdout.split()
    assert (user, online) == (seen_as, "0-7")
    assert (int(capabilities, 16) == 0) == (seen_as != "0")


def test_a_missing_command_and_an_unknown_machine_are_told(run):
    code, _, err = run("machines", "run", "one-cpu", "--")
    assert (code, "COMMAND" in err) == (2, True)
    code, _, err = run("machines", "run", "one-cqu", "--", "true")
    assert (code, "'one-cpu'" in err) == (2, True)


def test_a_machine_is_exported_for_those_who_bring_a_namespace(run, tmp_path):
    code, _, _ = run("machines", "export", "snc2-small", tmp_path / "tree")
    assert code == 0
    assert read_machine(tmp_path / "tree").core_bits == load_machine("snc2-small").core_bits
    code, _, err = run("machines", "export", "snc2-small", tmp_path)
    assert (code, "is not empty" in err) == (2, True)


BUS = "/sys/bus/pci/devices"


def test_devices_of_the_machine_are_on_its_pci_bus_and_those_of_the_host_are_not():
    told = on("two-nodes-hugepages-devices", "sh", "-c", f"cd {BUS}; grep . */numa_node */vendor */class")
    values = dict(line.rsplit(":", 1) for line in told.splitlines())
    nodes = {name.split("/")[0]: node for name, node in values.items() if name.endswith("numa_node")}
    assert [nodes[f"0000:{number:02x}:00.0"] for number in (1, 3, 5, 9, 12)] == ["0", "1", "0", "1", "-1"]
    assert len(nodes) == 4 + 3 * 7 + 1
    assert (values["0000:05:00.1/vendor"], values["0000:05:00.1/class"]) == ("0x8086", "0x020000")
    places = (f"{BUS}/0000:05:00.{name}" for name in ("0/virtfn1", "1/physfn"))
    links = on("two-nodes-hugepages-devices", "readlink", *places)
    assert links.split() == ["../0000:05:00.2", "../0000:05:00.0"]
    places = [f"{BUS}/0000:{name}" for name in ("05:00.0/driver", "01:00.0", "03:00.0", "0c:00.0")]
    driver, *devices = on("two-nodes-hugepages-devices", "readlink", "-f", *places).split()
    assert driver == "/sys/bus/pci/drivers/ice"
    # As the kernel has it, so that drivers tell the root complex: one of each NUMA node, one for a device near none.
    assert [place.split("/")[3] for place in devices] == ["pci0000:80", "pci0000:81", "pci0000:ff"]
    assert on("two-nodes-hugepages-devices", "readlink", places[1]) == "../../../devices/pci0000:80/0000:01:00.0\n"
    of_driver = on("two-nodes-hugepages-devices", "readlink", "-f", f"{driver}/0000:05:00.1", f"{BUS}/0000:05:00.1")
    assert len(set(of_driver.split())) == 1


PLACES = "sys/class/kfd/topology", "sys/bus/pci/devices/0000:01:00.0/drm", "usr/share/misc/of,ours:x"
WITH_FILES = (sys.executable, "-m", "numa_conformance", "machines", "with-files")


def test_files_lie_beside_those_that_are_there(tmp_path):
    for path in PLACES:
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "id").write_text(path)
    places = [*(f"/{path}/id" for path in PLACES), f"{BUS}/0000:01:00.0/vendor"]
    told = on("two-nodes-devices", *WITH_FILES, str(tmp_path), "--", "cat", *places)
    assert told == f"{''.join(PLACES)}0x1002\n"
    assert not Path("/sys/class/kfd/topology").exists()


def test_new_folders_hide_nothing_that_a_link_or_a_mount_leads_to(tmp_path):
    """A folder that is new in /sys/bus lies over all of it, where the machine's devices are mounted, and are links."""
    for path in (*PLACES[1:], "sys/bus/ours"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "id").write_text(path)
    device = f"{BUS}/0000:01:00.0"
    script = f"cat /sys/bus/ours/id {device}/drm/id {device}/vendor; readlink -f {device}/drm; ls {BUS}"
    told = on("two-nodes-devices", *WITH_FILES, str(tmp_path), "--", "sh", "-c", script)
    place, *devices = told.removeprefix(f"sys/bus/ours{PLACES[1]}0x1002\n").splitlines()
    assert place == "/sys/devices/pci0000:80/0000:01:00.0/drm"
    assert devices == on("two-nodes-devices", "ls", BUS).splitlines()


def test_files_in_no_folder_of_the_system_are_refused(tmp_path):
    (tmp_path / "no-such-folder").mkdir()
    done = subprocess.run([*WITH_FILES, str(tmp_path), "true"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "no-such-folder: is in no folder of this system" in done.stderr
