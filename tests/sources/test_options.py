import pytest

from numa_conformance.sources.options import (
    POLICY_OPTIONS,
    STATIC_OPTIONS,
    TOPOLOGY_OPTIONS,
    StaticOptions,
    TopologyOptions,
)
from numa_conformance.wire.features import FEATURES


@pytest.mark.parametrize("name", STATIC_OPTIONS)
def test_an_option_is_switched_on_by_its_name_alone(name):
    switched = StaticOptions.from_names({name: True})
    assert [option.name for option in STATIC_OPTIONS.values() if getattr(switched, option.field)] == [name]
    assert StaticOptions.from_names({name: False}) == StaticOptions()


@pytest.mark.parametrize("option", POLICY_OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_has_its_section_and_excludes_options_that_exist(option):
    assert option.source.address.endswith(option.name)
    assert {*option.excludes, *option.refused_with} <= set(STATIC_OPTIONS) - {option.name}
    room = "cpu-manager" if option.manager == "CPU Manager" else "topology-manager"
    assert f"{room}/{option.name}" in FEATURES


def test_the_limit_of_numa_nodes_is_eight():
    assert TopologyOptions().max_allowable_numa_nodes == 8
    assert len(TOPOLOGY_OPTIONS) == 2
