"""``numa-conformance diff``: where two implementations differ, each kind of difference by its smallest history."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..asking.asking import Budget
from ..comparing.kinds_of_difference import Kind, Kinds
from ..comparing.two_targets import OfAWholeKubelet, TwoTargets
from ..reference.simulation.reading import read_all
from ..report.causes import Behaviour, CausesBetween
from ..report.side_by_side import by_cause, kind_as_json, kinds_as_text
from ..sources.patches import patch_note
from ..sources.versions import DEFAULT, KubernetesVersion
from ..wire import Client
from .migration import Moving
from .options import CONFIG, INPUT, MACHINE, TIMEOUT, machine_of, read_configuration
from .targets import TargetChoice, about_target, open_target, side, with_version_of
from .terminal import DIFFERENT, OK, notice, print_json, terminal_width, with_progress

WIDTH = 160
"""Columns that placements side by side may take where no terminal says how many there are."""


@click.command("diff")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.argument("pods", metavar="[PODS]...", nargs=-1, type=INPUT)
@MACHINE
@CONFIG
@click.option("--budget", default="60s", show_default=True, help="How long, or what part of all is asked: 30s, 5%.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed asks other histories.")
@click.option("--messages", is_flag=True, help="Compare the wording of refusals too.")
@click.option("--ignore", "ignored", multiple=True, help="A field that is not compared: cpu_quota; may be repeated.")
@TIMEOUT
@click.option("--first", is_flag=True, help="Stop at the first kind of difference.")
@click.option("--json", "as_json", is_flag=True, help="Print the kinds of differences as JSON.")
def command(
    a: str,
    b: str,
    pods: tuple[Path, ...],
    machine_name: str | None,
    config_file: Path | None,
    budget: str,
    seed: int,
    timeout: float,
    first: bool,
    as_json: bool,
    **wording: Any,
) -> int:
    """Search for histories on which A and B differ, and show each kind of difference by its smallest.

    A and B: reference[:exact|:documented][@VERSION], target:package.module:factory, 'command:./my-kubelet --stdio',
    kubelet:./kubelet, an unmodified kubelet beside which a reference adds up requests too, 'nri:./my-plugin ...', or
    'dra:./my-driver ...'. A reference without a version follows that of the other side. What both claim is asked; in
    each history the first difference counts. With files of PODS and a --machine: say what changes for these pods from
    A to B, each where it may run and beside whom; a DRA driver is asked a claim for each container that a kubelet would
    give CPUs of its own. Exits with 1 when they differ, 3 when one cannot be asked.
    """
    if bool(pods) != bool(machine_name) or (config_file and not pods):
        raise click.UsageError("PODS come to a node: name its --machine, and its --config, with files of pods")
    if not pods and a.startswith("dra:") != b.startswith("dra:"):
        raise click.UsageError("a DRA driver and what is none are compared on pods: name files of PODS and a --machine")
    limit = Budget.parse(budget, "--budget")
    with ExitStack() as opened:
        choices = [side(a, timeout), side(b, timeout)]
        whole = [choice.resource_fit for choice in choices]
        choices = [replace(choice, resource_fit=any(whole)) for choice in choices]
        left, right = _open(opened, choices)
        if machine_name:
            sides = dict(zip(map(_title, "AB", choices, (left, right)), (left, right), strict=True))
            config, there = read_configuration(config_file), read_all(pods, notice).in_order
            moving = Moving.ask(sides, machine_of(machine_name), config.to_dict(), there)
            moving.print_json() if as_json else moving.print_text()
            return moving.exit_code
        two = TwoTargets(left, right, **wording)
        known = OfAWholeKubelet(*whole)
        kinds = Kinds(lambda questions: known.without(two.again(questions)), _causes_between(choices, two))
        for difference in with_progress(two.histories(limit, seed), "asking both"):
            if difference is not None and not known.counts(difference):
                kinds.add(difference)
                if first:
                    break
        about = {
            "a": about_target(a, left),
            "b": about_target(b, right),
            "seed": seed,
            "budget": str(limit),
            "surfaces": sorted(two.surfaces),
            "features": sorted(two.features),
            "histories": two.count,
            "questions": two.questions,
            "ofAWholeKubelet": dict(known.histories),
        }
    all_kinds = kinds.all()
    if as_json:
        differing = sum(kind.histories for kind in all_kinds)
        print_json({**about, "differing": differing, "kinds": [kind_as_json(kind) for kind in all_kinds]})
    else:
        _print(about, all_kinds)
    return DIFFERENT if all_kinds else OK


def _title(name: str, choice: TargetChoice, client: Client) -> str:
    description = client.description
    follows = f", Kubernetes {description.kubernetes_version}" if choice.is_reference else ""
    return f"{name}: {description.name} {description.version}{follows}"


def _open(opened: ExitStack, choices: list[TargetChoice]) -> tuple[Client, Client]:
    """Open both, a reference that follows the other's version last, and put the version into its choice."""
    chosen, other = choices
    if chosen.is_reference and chosen.version is None and not (other.is_reference and other.version is None):
        turned = [other, chosen]
        second, first = _open(opened, turned)
        choices[:] = reversed(turned)
        return first, second
    choices[0] = with_version_of(chosen, other.version if other.is_reference else None)
    first = opened.enter_context(open_target(choices[0]))
    choices[1] = with_version_of(other, first.description.kubernetes_version)
    return first, opened.enter_context(open_target(choices[1]))


def _causes_between(choices: list[TargetChoice], two: TwoTargets) -> CausesBetween | None:
    """Return what knows the causes between two references; None for any other pair."""
    if not all(choice.is_reference for choice in choices):
        return None
    left, right = (
        Behaviour.of("documented" if choice.level == "documented" else "exact", choice.version or DEFAULT)
        for choice in choices
    )
    return CausesBetween(two, left, right)


def _print(about: dict[str, Any], kinds: list[Kind]) -> None:
    for name in "ab":
        facts = about[name]
        known = KubernetesVersion.known(facts["kubernetesVersion"])
        note = patch_note(known) if known else None
        more = f": {note}" if note else ""
        click.echo(f"{name.upper()}: {facts['name']} {facts['version']}, Kubernetes {facts['kubernetesVersion']}{more}")
    click.echo()
    width = terminal_width() or WIDTH
    for number, together in enumerate(by_cause(kinds), 1):
        click.echo(kinds_as_text(together, number, width) + "\n")
    differing = sum(kind.histories for kind in kinds)
    click.echo(
        f"{about['questions']:,} questions asked in {about['histories']:,} histories "
        f"({about['budget']}, seed {about['seed']}): "
        f"{differing:,} differ, in {len(kinds)} kind{'' if len(kinds) == 1 else 's'}"
    )
    for name, count in about["ofAWholeKubelet"].items():
        click.echo(f"{count:,} more differ as a whole kubelet does from its managers alone: {name}")
