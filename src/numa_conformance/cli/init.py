"""``numa-conformance init``: a target and a CI workflow to start from."""

from __future__ import annotations

from pathlib import Path

import click

from ..errors import Fault, UsageError
from ..files import write_text

__all__ = ["command"]

_STARTER = Path(__file__).parent / "starter"
_OPTIONS = {"python": "target numa_target:make", "stdio": 'target-command "python3 numa_target.py"'}
"""What follows ``--`` for the commands, and ``--numa-`` for pytest."""


@click.command("init")
@click.argument("kind", type=click.Choice(sorted(_OPTIONS)))
@click.argument("folder", default=".", type=click.Path(path_type=Path, file_okay=False))
def command(kind: str, folder: Path) -> None:
    """Write a minimal target and a CI workflow to FOLDER (default: here); nothing is overwritten.

    KIND python is asked in process, stdio serves JSON-RPC as a target in any language does.
    """
    workflow = (_STARTER / "workflow.yml").read_text(encoding="utf-8")
    option = _OPTIONS[kind]
    files = {
        folder / "numa_target.py": (_STARTER / kind / "numa_target.py").read_text(encoding="utf-8"),
        folder / ".github/workflows/numa-conformance.yml": workflow.replace("NUMA_TARGET", f"--numa-{option}").replace(
            "TARGET", f"--{option}"
        ),
    }
    there = [path for path in files if path.exists()]
    if there:
        raise UsageError(Fault(str(path), "is there already, and stays as it is") for path in there)
    for path, text in files.items():
        write_text(path, text)
        click.echo(f"wrote {path}")
    where = "" if folder == Path() else f"cd {folder} && "
    click.echo(f"\ntry it:  {where}numa-conformance smoke --{option}")
    click.echo(f"then:    {where}pytest --numa-conformance --numa-{option}")
