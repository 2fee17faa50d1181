import shutil

import pytest
from hypothesis import given, settings

from numa_conformance.asking.strategies.machines import machines
from numa_conformance.errors import StartError
from numa_conformance.machine import derive_view
from numa_conformance.machine.hostfs import read_kubelet_view, read_machine, write_tree

CPU = "sys/devices/system/cpu"
NODE = "sys/devices/system/node"


class Tree:
    """A host tree of the test's making: each CPU has a core and a package, and lies in the node folder it is put in."""

    def __init__(self, root):
        self.root = root
        self.write("proc/cpuinfo", "processor : 0\n")

    def write(self, path, text):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{text}\n")

    def cpu(self, cpu, core, package, node=0):
        (self.root / CPU / f"cpu{cpu}").mkdir(parents=True, exist_ok=True)
        if core is not None:
            self.write(f"{CPU}/cpu{cpu}/topology/core_id", core)
        if package is not None:
            self.write(f"{CPU}/cpu{cpu}/topology/physical_package_id", package)
        if node is not None:
            folder = self.root / NODE / f"node{node}"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"cpu{cpu}").symlink_to(f"../../cpu/cpu{cpu}")

    def cache(self, cpu, shared, number=0, index=3, level=3, size="32768K"):
        folder = f"{CPU}/cpu{cpu}/cache/index{index}"
        values = (("id", number), ("level", level), ("type", "Unified"), ("size", size), ("shared_cpu_map", shared))
        for name, value in values:
            if value is not None:
                self.write(f"{folder}/{name}", value)

    def view(self):
        return read_kubelet_view(self.root)

    def rows(self):
        return {row.id: (row.numa, row.socket, row.core, row.uncore) for row in self.view().cpus}


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


def broken_off(tree):
    with pytest.raises(StartError) as caught:
        tree.view()
    assert (caught.value.stage, caught.value.message) == ("cpumanager", "could not detect number of cpus")
    return str(caught.value.__cause__)


def test_topology_is_read_through_the_node_folder(tree):
    """CPU-DISC-01."""
    tree.cpu(0, core=0, package=0)
    shutil.rmtree(tree.root / CPU)
    tree.write(f"{CPU}/cpu0/nothing", "")
    (tree.root / NODE / "node0/cpu0").unlink()
    tree.write(f"{NODE}/node0/cpu0/topology/core_id", 4)
    tree.write(f"{NODE}/node0/cpu0/topology/physical_package_id", 3)
    assert tree.rows() == {0: (0, 3, 0, 3)}


@pytest.mark.parametrize("folder", [f"{NODE}/node0/cpufreq1", f"{NODE}/nodes1"])
def test_a_folder_with_a_wrong_name_breaks_discovery_off(tree, folder):
    """CPU-DISC-02."""
    tree.cpu(0, core=0, package=0)
    (tree.root / folder).mkdir()
    assert folder in broken_off(tree)


def test_cores_are_looked_at_in_the_order_of_names(tree):
    """CPU-DISC-02, CPU-DISC-12: cpu10 comes before cpu2, so its cache file is the one that is read."""
    tree.cpu(2, core=0, package=7)
    tree.cpu(10, core=0, package=7)
    tree.cpu(11, core=1, package=7)
    tree.cache(10, shared="00000404", number=5)
    tree.cache(11, shared="00000404", number=6)
    assert tree.rows() == {2: (0, 7, 2, 5), 10: (0, 7, 2, 5), 11: (0, 7, 11, 7)}


@pytest.mark.parametrize(
    ("listed", "online"),
    [
        ("0-2", {0, 1, 2}),
        ("0,2", {0, 2}),
        ("1", {1}),
        ("0,x,2", {0}),
        ("2-1,0", set()),
        ("0-1-2", set()),
        ("0,70000,1", {0}),
        ("0," + "1" * 5000, {0}),
        ("", set()),
        (None, {0, 1, 2}),
    ],
)
def test_the_online_list_is_searched_from_the_left_for_each_cpu(tree, listed, online):
    """CPU-DISC-03."""
    for cpu in range(3):
        tree.cpu(cpu, core=cpu, package=0)
    if listed is not None:
        tree.write(f"{CPU}/online", listed)
    if online:
        assert set(tree.rows()) == online
    else:
        broken_off(tree)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (f"{CPU}/cpu0/topology/core_id", "one"),
        (f"{CPU}/cpu0/topology/physical_package_id", "one"),
        (f"{NODE}/node0/meminfo", "Node 0 MemFree: 1 kB"),
        (f"{NODE}/node0/meminfo", "Node 0 MemTotal: x kB"),
        (f"{NODE}/node0/distance", "10  20"),
        (f"{NODE}/node0/distance", "ten"),
    ],
)
def test_a_malformed_file_breaks_discovery_off(tree, path, text):
    """CPU-DISC-04."""
    tree.cpu(0, core=0, package=0)
    tree.write(path, text)
    assert str(tree.root) in broken_off(tree)


def test_cores_of_one_node_that_repeat_a_core_id_merge(tree):
    """CPU-DISC-05."""
    for cpu, core in ((0, 0), (1, 1), (2, 0), (3, 1)):
        tree.cpu(cpu, core, package=0)
        tree.write(f"{CPU}/cpu{cpu}/topology/die_id", cpu // 2)
    assert {cpu: row[2] for cpu, row in tree.rows().items()} == {0: 0, 1: 1, 2: 0, 3: 1}
    assert tree.view().num_cores == 2


def test_books_and_drawers_tell_cores_apart(tree):
    """CPU-DISC-05 on s390x."""
    for cpu in range(4):
        tree.cpu(cpu, core=0, package=0)
        tree.write(f"{CPU}/cpu{cpu}/topology/book_id", cpu // 2)
        tree.write(f"{CPU}/cpu{cpu}/topology/drawer_id", cpu % 2)
    assert tree.view().num_cores == 4


def test_a_core_across_two_nodes_is_two_cores(tree):
    """CPU-DISC-06."""
    tree.cpu(0, core=0, package=0, node=0)
    tree.cpu(1, core=0, package=0, node=1)
    assert tree.rows() == {0: (0, 0, 0, 0), 1: (1, 0, 1, 0)}
    assert tree.view().num_cores == 2


def test_node_numbers_may_have_gaps_and_nodes_no_cpus(tree):
    """CPU-DISC-07."""
    tree.cpu(0, core=0, package=0, node=8)
    (tree.root / NODE / "node3").mkdir()
    assert tree.view().numa_ids == (3, 8)
    assert tree.rows() == {0: (8, 0, 0, 0)}


def test_the_cpu_total_counts_placed_threads(tree):
    """CPU-DISC-08: neither offline CPUs nor ones without a core id."""
    tree.cpu(0, core=0, package=0)
    tree.cpu(1, core=1, package=0)
    tree.cpu(2, core=None, package=0)
    tree.write(f"{CPU}/online", "0,2")
    view = tree.view()
    assert view.num_cpus == 1
    assert len(view.warnings) == 1


def test_a_negative_package_is_a_socket(tree):
    """CPU-DISC-09."""
    tree.cpu(0, core=0, package=-1)
    assert tree.rows() == {0: (0, -1, 0, -1)}


@pytest.mark.parametrize(
    ("cpuinfo", "sockets"),
    [
        ("physical id\t: 0\nphysical id\t: 1\nphysical id\t: 0\n", 2),
        ("physical id : 5\n", 1),
        ("the physical id : 1\nphysical id : x\n", 3),
        ("processor : 0\n", 3),
    ],
)
def test_sockets_are_counted_in_cpuinfo_else_by_package(tree, cpuinfo, sockets):
    """CPU-DISC-10: without such lines, an unreadable package counts as 0 and offline CPUs do not count."""
    tree.cpu(0, core=0, package=1)
    tree.cpu(1, core=1, package=2)
    tree.cpu(2, core=2, package=None)
    tree.cpu(3, core=3, package=9)
    tree.write(f"{CPU}/online", "0-2")
    tree.write("proc/cpuinfo", cpuinfo)
    assert tree.view().num_sockets == sockets


def test_cpuinfo_must_be_there(tree):
    """CPU-DISC, 3.1."""
    tree.cpu(0, core=0, package=0)
    (tree.root / "proc/cpuinfo").unlink()
    assert "cpuinfo" in broken_off(tree)


def four_cores(tree):
    for cpu in range(4):
        tree.cpu(cpu, core=cpu, package=9)


def uncores(tree):
    return [row[3] for row in tree.rows().values()]


@pytest.mark.parametrize(
    ("level", "shared", "expected"),
    [
        (3, "3", [2, 2, 2, 2]),
        (4, "3", [2, 2, 2, 2]),
        (3, "f", [9, 9, 9, 9]),
        (3, "ff", [2, 2, 2, 2]),
        (3, "1,00000007", [9, 9, 9, 9]),
        (2, "3", [9, 9, 9, 9]),
    ],
)
def test_a_cache_counts_unless_it_is_as_wide_as_the_node(tree, level, shared, expected):
    """CPU-DISC-11, CPU-DISC-12, CPU-DISC-14."""
    four_cores(tree)
    for cpu in range(4):
        tree.cache(cpu, shared, number=2, level=level)
    assert uncores(tree) == expected


def test_the_first_cache_of_a_core_is_its_uncore_cache(tree):
    """CPU-DISC-14: in the order of names, in which index10 comes before index3."""
    four_cores(tree)
    for cpu in range(4):
        tree.cache(cpu, "3", number=1, index=3)
        tree.cache(cpu, "3", number=6, index=10, level=4)
    assert uncores(tree) == [6, 6, 6, 6]


@pytest.mark.parametrize("break_it", ["no cache", "no id", "size in megabytes", "bad map"])
def test_an_unreadable_cache_stops_the_rest_of_the_node(tree, break_it):
    """CPU-DISC-13: the failing core and all later ones of the node have none; other nodes are not touched."""
    four_cores(tree)
    tree.cpu(4, core=0, package=9, node=1)
    tree.cpu(5, core=1, package=9, node=1)
    for cpu in (0, 1, 2, 3, 4, 5):
        tree.cache(cpu, "7", number=cpu + 20)
    folder = tree.root / CPU / "cpu2/cache"
    if break_it == "no cache":
        shutil.rmtree(folder)
    elif break_it == "no id":
        (folder / "index3/id").unlink()
    elif break_it == "size in megabytes":
        (folder / "index3/size").write_text("32M\n")
    else:
        (folder / "index3/shared_cpu_map").write_text("wide\n")
    assert uncores(tree) == [20, 21, 9, 9, 24, 25]


def test_cache_ids_are_not_read_on_s390x(tree):
    """CPU-DISC-13."""
    four_cores(tree)
    tree.write("proc/cpuinfo", "vendor_id       : IBM/S390\n")
    for cpu in range(4):
        tree.cache(cpu, "3", number=None)
    assert uncores(tree) == [0, 0, 0, 0]


def test_without_node_folders_each_package_is_a_node(tree):
    """CPU-DISC-16, CPU-DISC-17, CPU-DISC-18."""
    tree.cpu(0, core=0, package=4, node=None)
    tree.cpu(1, core=0, package=4, node=None)
    tree.cpu(2, core=0, package=5, node=None)
    tree.cpu(3, core=0, package=6, node=None)
    tree.cpu(4, core=0, package=None, node=None)
    tree.write(f"{CPU}/online", "0-2,4")
    view = tree.view()
    assert tree.rows() == {0: (4, 4, 0, 4), 1: (4, 4, 0, 4), 2: (5, 5, 2, 5)}
    assert (view.num_cpus, view.num_cores, view.numa_ids) == (5, 2, (4, 5, 6))


def test_without_any_package_the_table_is_empty(tree):
    """CPU-DISC-19."""
    tree.cpu(0, core=0, package=None, node=None)
    tree.cpu(1, core=1, package=None, node=None)
    view = tree.view()
    assert (view.cpus, view.num_cpus, view.num_cores) == ((), 2, 0)


def test_no_cpu_at_all_is_fatal(tree):
    """CPU-TOPO-05."""
    (tree.root / NODE / "node0").mkdir(parents=True)
    broken_off(tree)


@given(machine=machines(max_cpus=24, sane=True, devices=False))
@settings(max_examples=25)
def test_the_kubelets_reading_is_the_view_derived_from_the_machine(tmp_path_factory, machine):
    root = tmp_path_factory.mktemp("host") / "root"
    write_tree(machine, root)
    assert read_kubelet_view(root) == derive_view(machine)
    assert derive_view(read_machine(root)) == derive_view(machine)
    shutil.rmtree(root)
