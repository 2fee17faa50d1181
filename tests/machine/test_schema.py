import json

import jsonschema
import pytest
from hypothesis import given

from numa_conformance.asking.strategies import machines
from numa_conformance.documents import read_documents
from numa_conformance.errors import UsageError
from numa_conformance.machine import catalogue_names, data_folder, load_machine, machine_from_dict, machine_to_dict
from numa_conformance.machine.codec import compact_schema, machine_schema

PLAIN = jsonschema.Draft202012Validator(machine_schema())
COMPACT = jsonschema.Draft202012Validator(compact_schema())


@pytest.mark.parametrize(("name", "made"), [("machine", machine_schema), ("machine-compact", compact_schema)])
def test_the_published_file_is_what_the_code_makes(name, made):
    published = json.loads((data_folder("fixtures") / "schemas" / f"{name}.schema.json").read_text())
    assert published == made()
    jsonschema.Draft202012Validator.check_schema(published)


@pytest.mark.parametrize("name", catalogue_names())
def test_every_machine_of_the_catalogue_follows_both_schemas(name):
    (document,) = read_documents(data_folder("fixtures") / "topologies" / f"{name}.yaml")
    COMPACT.validate(document.value)
    PLAIN.validate(machine_to_dict(load_machine(name)))


@given(machine=machines())
def test_what_is_written_follows_the_schema(machine):
    PLAIN.validate(machine_to_dict(machine))


GOOD_CPU = {"id": 0, "core": 0, "socket": 0, "numa": 0}
GOOD = {"name": "x", "cpus": [GOOD_CPU], "memory": [{"node": 0, "memory": 1}]}
GOOD_COMPACT = {"name": "x", "coresPerNuma": 2}


def test_the_examples_below_spoil_good_machines():
    PLAIN.validate(GOOD)
    COMPACT.validate(GOOD_COMPACT)
    assert machine_from_dict(GOOD).cpus[0].id == 0
    assert len(machine_from_dict(GOOD_COMPACT).cpus) == 2


@pytest.mark.parametrize(
    "spoiled",
    [
        {"name": ""},
        {"name": None},
        {"cpus": []},
        {"cpus": [{**GOOD_CPU, "id": -1}]},
        {"cpus": [{**GOOD_CPU, "id": 70_000}]},
        {"cpus": [{**GOOD_CPU, "die": 0}]},
        {"cpus": [{**GOOD_CPU, "socket": -2}]},
        {"cpus": [{**GOOD_CPU, "core": "0"}]},
        {"memory": [{"node": 0, "memory": "1Gi"}]},
        {"memory": [{"node": 0, "memory": -1}]},
        {"memory": [{"node": 0, "hugepages": {"2MB": 1}}]},
        {"memory": None},
        {"distances": [["10"]]},
        {"distances": "none"},
        {"devices": [{"resource": "a/b"}]},
        {"devices": [{"resource": "a/b", "id": "x", "numa": 0}]},
        {"devicePlugins": {"a/b": {"preferredAllocation": "best"}}},
        {"offline": "0 1"},
        {"uncoreSource": None},
        {"sockets": 2},
    ],
    ids=json.dumps,
)
def test_schema_and_reader_refuse_the_same_machines(spoiled):
    refused_by_both(PLAIN, {**GOOD, **spoiled})


@pytest.mark.parametrize(
    "spoiled",
    [
        {"name": 1},
        {"sockets": 0},
        {"sockets": "2"},
        {"coresPerNuma": []},
        {"coresPerNuma": 0},
        {"threads": 64},
        {"numbering": "as usual"},
        {"uncore": "socks"},
        {"uncore": {"within": "numa"}},
        {"uncore": {"cores": 2, "within": "none"}},
        {"numaIds": "0"},
        {"cpuIds": "a"},
        {"memory": "1GB"},
        {"memory": ["1Gi", "2Gb"]},
        {"coresPerNuma": None},
        {"groups": None, "coresPerNuma": 1},
        {"memory": {"0": "1Gi"}},
        {"hugepages": {"2Mi": "many"}},
        {"memoryOnlyNodes": [{"memory": "1Gi"}]},
        {"memoryOnlyNodes": [{"nodes": 3, "neer": 0}]},
        {"distances": {"self": -1}},
        {"distances": None},
        {"devices": [{"count": 2}]},
        {"devices": [{"resource": "a/b", "count": 2, "perNuma": 1}]},
        {"devices": [{"resource": "a/b", "perNuma": 1, "numa": 0}]},
        {"groups": [{"cpus": "4"}]},
        {"uncoreSource": "rumour"},
        {"cores": 4},
    ],
    ids=json.dumps,
)
def test_schema_and_reader_refuse_the_same_compact_machines(spoiled):
    refused_by_both(COMPACT, {**GOOD_COMPACT, **spoiled})


@pytest.mark.parametrize("key", ["description", "notes", "offline", "devices", "memory", "hugepages", "sources"])
def test_schema_and_reader_take_null_for_nothing_said(key):
    spoiled = {**GOOD_COMPACT, key: None}
    COMPACT.validate(spoiled)
    assert machine_from_dict(spoiled) == machine_from_dict(GOOD_COMPACT)


@pytest.mark.parametrize("groups", [[], [{}], [{"cpus": "0", "siblings": "near"}], [{"cpus": "0", "core": 1}]], ids=str)
def test_schema_and_reader_refuse_the_same_groups(groups):
    refused_by_both(COMPACT, {"name": "x", "groups": groups})


def refused_by_both(validator, spoiled):
    assert not validator.is_valid(spoiled)
    with pytest.raises(UsageError):
        machine_from_dict(spoiled)
