"""``numa-conformance check-node`` and ``collect-node``: where a node at work is not as documented, and a dump of it."""

import os
import shlex
import time
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any

import click

from ..doctor.collect import collect
from ..doctor.findings import Findings, NodeFinding, changes, check
from ..doctor.look import NodeSource, look
from ..doctor.state_files import open_node
from ..errors import UsageError
from ..files import write_text
from ..printable import as_line
from ..sources.versions import SUPPORTED_RANGE
from ..wire.history.history import histories_text
from .options import DIRECTORY, FILE, STATE_AS_IT_IS, MachineName, host_root, machine_of, seconds
from .options import version as version_type
from .terminal import DIFFERENT, OK, echo_coloured, print_json, say

_SOURCES = (
    click.option(
        "--pod-resources",
        metavar="SOCKET",
        help="Ask the kubelet's PodResources too, e.g. /var/lib/kubelet/pod-resources/kubelet.sock.",
    ),
    click.option("--state-dir", help="The kubelet's folder, below the root.  [default: as it runs]"),
    click.option(
        "--config-dir",
        metavar="FOLDER",
        type=DIRECTORY,
        help="Its drop-in folder, in place of the one the kubelet names.",
    ),
    click.option(
        "--config",
        type=FILE,
        help="A KubeletConfiguration, or what /configz reported, in place of the one the kubelet names.",
    ),
    click.option(
        "--kubernetes-version",
        "version",
        type=version_type,
        help=f"The kubelet's version: {SUPPORTED_RANGE}.  [default: as its program, or the dump, says]",
    ),
)


def node_source_options(command: Any) -> Any:
    """Add the options that say what is read in place of what is found on the node: fields of ``NodeSource``."""
    return reduce(lambda made, option: option(made), _SOURCES, command)


@click.command("check-node")
@host_root(
    "The folder that stands for /: a dump of collect-node, or a tarball of one; or state files alone, with --machine."
)
@click.option("--machine", "machine_name", type=MachineName(), help="The machine, where the root has none.")
@STATE_AS_IT_IS
@node_source_options
@click.option("--watch", is_flag=True, help="Look again and again, and say what changed since the last pass.")
@click.option("--every", default=10.0, show_default=True, type=seconds, help="Seconds between two passes of --watch.")
@click.option("--passes", default=None, type=click.IntRange(1), help="End --watch after so many passes.")
@click.option("--strict", is_flag=True, help="Exit with 1 for warnings too.")
@click.option("--history", "keep", type=FILE, default=None, help="Write what was seen, for judge.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; with --watch one line for each pass.")
def command(
    root: Path,
    machine_name: str | None,
    as_it_is: bool,
    watch: bool,
    every: float,
    passes: int | None,
    strict: bool,
    keep: Path | None,
    as_json: bool,
    **replacing: Any,
) -> int:
    """Say where this node, or a dump of one, is not as documented. Reads, and never writes to the node.

    Exits with 1 when there is an error (with --strict: a finding), with 0 when there is none.
    """
    machine = machine_of(machine_name) if machine_name else None
    with open_node(root, whole=True) as folder:
        sources = NodeSource(folder, machine=machine, as_it_is=as_it_is, **replacing)
        if watch:
            return _watch(sources, every, passes, strict=strict, as_json=as_json)
        findings = check(look(sources))
    if keep is not None:
        write_text(keep, histories_text(findings.histories))
    print_json(_as_json(findings)) if as_json else _print(findings)
    return _code(findings, strict=strict)


def _code(findings: Findings, *, strict: bool) -> int:
    return DIFFERENT if findings.errors or (strict and findings.findings) else OK


def _print(findings: Findings) -> None:
    for finding in findings.findings:
        for line in finding_lines(finding):
            echo_coloured(line)
    for note in findings.worth_knowing:
        click.echo(as_line(f"note: {note}"))
    for note in findings.notes:
        click.echo(as_line(f"not seen: {note}"))
    numbers = {"error": findings.errors, "warning": len(findings.findings) - findings.errors}
    counts = ", ".join(f"{number} {name}{'' if number == 1 else 's'}" for name, number in numbers.items())
    of = "a kubelet" if findings.version is None else f"kubelet {findings.version}"
    click.echo(f"{counts}; {len(findings.counts)} requirements asked of {of} in {findings.seconds:.1f} s")


def finding_lines(finding: NodeFinding) -> Iterator[str]:
    """Yield the lines of one finding for a person, printable but for a colour."""
    colour = None if os.environ.get("NO_COLOR") else "red" if finding.severity == "error" else "yellow"
    yield f"{click.style(finding.severity, fg=colour)}: {as_line(finding.message)}"
    yield from map(as_line, _details(finding))


def _details(finding: NodeFinding) -> Iterator[str]:
    if finding.got or finding.allowed:
        yield f"  seen: {finding.got or 'nothing'}; documented: {finding.allowed or 'nothing'}"
    yield from (f"  {uid} is pod {name}" for uid, name in finding.pods.items())
    yield from (f"  {line.place}:{line.number}: {line}".rstrip(": ") for line in finding.evidence)
    yield f"  {finding.requirement}: {finding.text}"
    yield f"  {finding.address}"
    if finding.quirks:
        yield f"  it may come of what kubelets are known for: {', '.join(finding.quirks)}"
    yield f"  to do: {finding.remedy}"


def _as_json(findings: Findings) -> dict[str, Any]:
    return {
        "errors": findings.errors,
        "warnings": len(findings.findings) - findings.errors,
        "findings": [finding.to_dict() for finding in findings.findings],
        "kubernetes_version": None if findings.version is None else str(findings.version),
        "asked": dict(findings.counts),
        "worth_knowing": list(findings.worth_knowing),
        "not_seen": list(findings.notes),
        "seconds": round(findings.seconds, 3),
    }


def _watch(sources: NodeSource, every: float, passes: int | None, *, strict: bool, as_json: bool) -> int:
    before: Findings | None = None
    count, code = 0, OK
    while passes is None or count < passes:
        if count:
            time.sleep(max(every, 0.0))
        count += 1
        try:
            findings = check(look(sources))
        except UsageError as error:  # the kubelet may be away just now
            if before is None:
                raise
            click.echo(f"pass {count}: {error}", err=True)
            continue
        change = changes(before, findings)
        if as_json:
            click.echo(change.to_json(count))
        else:
            for line in change.lines(count, finding_lines):
                echo_coloured(line)
        before, code = findings, _code(findings, strict=strict)
    return code


@click.command("collect-node")
@click.argument("folder", type=DIRECTORY)
@host_root("The folder that stands for /, such as a host's in a container.", DIRECTORY, "FOLDER")
@node_source_options
def collect_node(folder: Path, root: Path, **replacing: Any) -> None:
    """Write a dump of this node into FOLDER, which check-node --from-node reads.

    It holds the hardware's layout, state files, cpusets, names of pods and containers, and what threads may run on; no
    environments, no command lines but the kubelet's flags for the resource managers, and no tokens.
    """
    sight = collect(NodeSource(root, **replacing), folder)
    for note in sight.notes:
        click.echo(f"not seen: {note}", err=True)
    click.echo(f"{len(sight.running)} containers, {len(sight.state.files)} state files")
    say(f"numa-conformance check-node --from-node {shlex.quote(str(folder))}")
