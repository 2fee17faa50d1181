"""``numa-conformance lint``: what a kubelet would refuse in its configuration, and what is unwise."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from ..errors import Fault
from ..forms import with_position
from ..kube import KubeletConfiguration, read_kubelet_configuration
from ..kube.configuration_files import HEAD
from ..reference.advice import Remark, lint
from ..reference.simulation.reading import quirks_of
from ..sources.versions import KubernetesVersion
from .options import INPUT, LEVEL, MACHINE, VERSION, assumed_version, machine_of
from .terminal import DIFFERENT, OK, notice, print_json, say


@click.command("lint")
@click.argument("files", nargs=-1, required=True, type=INPUT)
@MACHINE
@VERSION
@LEVEL
@click.option("--strict", is_flag=True, help="Exit with 1 for what is unwise or without effect too.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(
    files: tuple[Path, ...],
    machine_name: str | None,
    kubernetes_version: KubernetesVersion | None,
    level: str,
    strict: bool,
    as_json: bool,
) -> int:
    """Say what a kubelet refuses in the KubeletConfigurations FILES, what is unwise, and what has no effect.

    With --machine also what that machine makes of it. Exits with 1 when something is refused.
    """
    machine = machine_of(machine_name) if machine_name else None
    kubernetes_version = kubernetes_version or assumed_version()
    quirks = quirks_of(level, kubernetes_version)
    configs = {file: read_kubelet_configuration(file) for file in files}
    notice(*(note for config in configs.values() for note in config.notes))
    by_file = {
        file: [*_missing(config), *lint(config, kubernetes_version, quirks, machine)]
        for file, config in configs.items()
    }
    if as_json:
        print_json([_as_json(file, finding) for file, findings in by_file.items() for finding in findings])
    else:
        for file, findings in by_file.items():
            for finding in findings:
                place = with_position(Fault(f"{file}: {finding.place}", finding.message)).place
                say(*f"{place}{str(finding).removeprefix(finding.place)}".split("\n"))
            say(f"{file}: {_counts(findings)}")
    grave = ("refused", "unwise", "no effect") if strict else ("refused",)
    return DIFFERENT if any(finding.kind in grave for findings in by_file.values() for finding in findings) else OK


def _missing(config: KubeletConfiguration) -> Iterator[Remark]:
    for name in HEAD if config.raw else ():
        if not config.raw.get(name):
            yield Remark("refused", name, "is missing: a kubelet reads no file without it", f"accepted: {HEAD[name]}")


def _as_json(file: Path, finding: Remark) -> dict[str, str | None]:
    what = {"field": finding.place, "message": finding.message, "remedy": finding.remedy or None}
    return {"file": str(file), "kind": finding.kind, **what}


def _counts(findings: list[Remark]) -> str:
    counts = Counter(finding.kind for finding in findings)
    return ", ".join(f"{count} {kind}" for kind, count in counts.items()) or "nothing to say"
