import re
from dataclasses import fields
from pathlib import Path

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.files import records_of, text_of
from numa_conformance.sources.changes import Changes
from numa_conformance.sources.quirks import QUIRKS, Quirks, quirk
from numa_conformance.sources.quirks.areas import CpuQuirks
from numa_conformance.sources.versions import DEFAULT, SUPPORTED, KubernetesVersion

PACKAGE = Path(quirk.__file__).parents[2]
OTHERS = {"areas", "quirk", "registry", "md"}
"""What stands behind ``quirks.`` as well: modules of the room, and the name of a page."""


def test_each_flag_is_a_quirk_and_off_as_documented():
    assert Quirks.none().showing() == ()
    patches = [KubernetesVersion(version.major, version.minor, patch) for version in SUPPORTED for patch in (0, 2)]
    assert {quirk for version in (*SUPPORTED, *patches) for quirk in Quirks.of(version).showing()} == set(QUIRKS)
    assert QUIRKS["spread-by-cpu-id"].area == "cpu"
    assert QUIRKS["ratio-scores-to-100"].area == "scheduler"


@pytest.mark.parametrize("version", SUPPORTED, ids=str)
def test_a_version_shows_the_quirks_of_its_span(version):
    assert set(Quirks.of(version).showing()) == {quirk.id for quirk in QUIRKS.values() if version in quirk.versions}


@pytest.mark.parametrize(("text", "shows"), [("1.27.0", True), ("1.27.1", True), ("1.27.2", False), ("1.27", False)])
def test_a_quirk_ends_at_a_patch(text, shows):
    assert Quirks.of(KubernetesVersion.parse(text)).device.unhealthy_devices_are_kept is shows


def test_versions_tell_which_quirks_are_fixed():
    assert CpuQuirks.of(KubernetesVersion(1, 33)).uncore_odd_size_unaligned
    assert not CpuQuirks.of(KubernetesVersion(1, 34)).uncore_odd_size_unaligned
    assert Quirks.of(KubernetesVersion(1, 32)).node.quota_on_exclusive_cpus
    assert not Quirks.of(KubernetesVersion(1, 33)).node.quota_on_exclusive_cpus


def test_a_quirk_is_turned_off_by_its_id():
    fewer = Quirks.of(DEFAULT).without("spread-by-cpu-id", "ratio-cuts-utilization")
    off = set(Quirks.of(DEFAULT).showing()) - set(fewer.showing())
    assert off == {"spread-by-cpu-id", "ratio-cuts-utilization"}
    assert not fewer.cpu.spread_by_cpu_id


@pytest.mark.parametrize("quirks", [Quirks.none(), CpuQuirks()], ids=["all", "cpu"])
def test_a_misspelt_quirk_is_refused_with_the_nearest(quirks):
    with pytest.raises(UsageError, match=r"no quirk 'spred-by-cpu-id'.*did you mean 'spread-by-cpu-id'"):
        quirks.without("spred-by-cpu-id")
    with pytest.raises(TypeError, match="spred_by_cpu_id"):
        CpuQuirks(spred_by_cpu_id=True)


@pytest.mark.parametrize("area", fields(Quirks), ids=lambda area: area.name)
def test_every_record_is_a_flag_of_its_area(area):
    flags = getattr(Quirks(), area.name)
    names = [record[0].partition(";")[0] for record in records_of(text_of(quirk.__package__, f"{area.name}.txt"))]
    assert names == [each.id for each in flags.quirks(area.name)]
    assert [field.name.replace("_", "-") for field in fields(flags)] == names


def test_the_code_asks_for_no_flag_that_is_not_there():
    areas = [field.name for field in fields(Quirks)]
    flags = {field.name for area in areas for field in fields(getattr(Quirks(), area))}
    changes = {field.name for field in fields(Changes)}
    for behind, known, others in (
        (rf"quirks(?:\.(?:{'|'.join(areas)}))?\.([a-z_0-9]+)\b(?!\()", flags, {*areas, *OTHERS}),
        (r"changes\.([a-z_0-9]+)\b(?!\()", changes, {"txt", "md"}),
    ):
        read = {name for file in PACKAGE.rglob("*.py") for name in re.findall(behind, file.read_text(encoding="utf-8"))}
        assert len(known & read) > len(known) / 3
        assert read - known <= others
