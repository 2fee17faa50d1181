"""``numa-conformance record``: the questions of recorded decisions, answered by a target."""

import gzip
import json
from collections import Counter
from pathlib import Path

import click

from ..comparing.recorded import Answerer, record_decisions, select
from ..errors import Fault, UsageError
from ..files import replace_bytes
from ..sources.versions import KubernetesVersion
from .options import FILE, chosen
from .targets import TargetChoice, open_target, target_options
from .terminal import DIFFERENT, OK, notice, with_progress


@click.command("record")
@click.argument("files", nargs=-1, required=True, type=FILE)
@target_options
@click.option("--output", required=True, type=FILE, help="The file to write; .gz compresses it.")
@click.option("--kind", "kinds", multiple=True, help="Ask only questions of this kind; may be repeated.")
@click.option("--id", "ids", multiple=True, help="Ask only the question of this decision; may be repeated.")
@click.option("--times", type=click.IntRange(1), default=1, show_default=True, help="How often each is asked.")
def command(
    files: tuple[Path, ...],
    choice: TargetChoice,
    output: Path,
    kinds: tuple[str, ...],
    ids: tuple[str, ...],
    times: int,
) -> int:
    """Ask a target the questions of recorded decisions in FILES and write its answers in the same form.

    Each record says who answered and the Kubernetes version that it follows. Asked several times, words that change
    from one time to the next are all kept, and a question whose placement changes is left out. Exits with 1 when some
    question got no record.
    """
    vectors = select(files, kinds, ids, chosen)
    left_out: Counter[str] = Counter()
    lines: list[str] = []
    with open_target(choice) as target:
        about = target.description
        by = Answerer(about.name, about.version, KubernetesVersion.parse(about.kubernetes_version))
        recorded = record_decisions(target, iter(vectors), by, times=times)
        for decision in with_progress(recorded, "asking", vectors.count):
            if decision.body is None:
                left_out[decision.why_not.splitlines()[0]] += 1
            else:
                lines.append(json.dumps(decision.body, separators=(",", ":")))
    _write(output, lines)
    for why, count in left_out.most_common():
        notice(f"{count} left out: {why}")
    click.echo(f"{len(lines)} recorded of {by.name} {by.version}, Kubernetes {by.follows}, in {output}")
    return DIFFERENT if left_out else OK


def _write(output: Path, lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines).encode()
    try:
        replace_bytes(output, gzip.compress(text, 9, mtime=0) if output.suffix == ".gz" else text)
    except OSError as error:
        raise UsageError(Fault(str(output), f"cannot be written: {error.strerror}")) from error
