"""``numa-conformance init`` and ``examples``: a target and a CI workflow to start from; the files of ``--help``."""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from .. import __version__
from ..files import data_folder
from .options import DIRECTORY, NameChoice
from .terminal import say, write_absent

_STARTER = Path(__file__).parent / "starter"
_SDK = "numaconformance"
"""Where the Go SDK is written, beside the target."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """``option`` is what follows ``--`` for the commands, and ``--numa-`` for pytest.

    ``build`` is the command that goes before both; steps of the workflow that it needs lie beside the files.
    """

    option: str
    files: tuple[str, ...] = ("numa_target.py",)
    build: str = ""


_KINDS = {
    "c": _Kind('target-command "./my-allocator"', ("numa_target.c",), "cc -o my-allocator numa_target.c -ljansson"),
    "go": _Kind('target-command "./my-allocator"', ("main.go", "go.mod"), "go build -o my-allocator ."),
    "rust": _Kind(
        'target-command "./target/release/my-allocator"', ("Cargo.toml", "src/main.rs"), "cargo build --release"
    ),
    "python": _Kind("target numa_target:make"),
    "stdio": _Kind('target-command "python3 numa_target.py"'),
}


@click.command("init")
@click.argument("kind", type=NameChoice(sorted(_KINDS)))
@click.argument("folder", default=".", type=DIRECTORY)
@click.option(
    "--surface",
    type=NameChoice(["node", "pick"]),
    default="node",
    show_default=True,
    help="What the target is asked first.",
)
def command(kind: str, folder: Path, surface: str) -> None:
    """Write a minimal target and a CI workflow to FOLDER (default: here); nothing is overwritten.

    KIND python is asked in process, go is built on the SDK that is written beside it; c (with Jansson), rust (with
    serde_json) and stdio (Python, without a package) serve JSON-RPC as a target in any language does.

    Surface node is for what places pods on a node. It claims policy none, and passes as it is. Surface pick is for what
    only chooses CPUs. It takes the lowest ids, and the suite says why that is not enough.
    """
    chosen = _KINDS[kind]
    write_absent({folder / name: text for name, text in _files(kind, chosen, surface)})
    where = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    build = f"{chosen.build} && " if chosen.build else ""
    say("", f"try it:  {where}{build}numa-conformance smoke --{chosen.option}")
    say(f"then:    {where}pytest --numa-conformance --numa-{chosen.option}")


def _files(kind: str, chosen: _Kind, surface: str) -> Iterator[tuple[str, str]]:
    for name in chosen.files:
        place = _STARTER / kind / name
        of_surface = place.with_stem(f"{place.stem}_{surface}")
        yield name, (of_surface if of_surface.exists() else place).read_text(encoding="utf-8")
    if kind == "go":
        sdk = data_folder("go")
        for path in (sdk / "go.mod", *sorted((sdk / "numa").glob("*.go"))):
            if not path.name.endswith("_test.go"):
                yield f"{_SDK}/{path.relative_to(sdk).as_posix()}", path.read_text(encoding="utf-8")
    setup = _STARTER / kind / "setup.yml"
    steps = setup.read_text(encoding="utf-8") if setup.exists() else ""
    steps += f"      - run: {chosen.build}\n" if chosen.build else ""
    workflow = (_STARTER / "workflow.yml").read_text(encoding="utf-8").replace("      # BUILD\n", steps)
    workflow = workflow.replace("NUMA_TARGET", f"--numa-{chosen.option}").replace("TARGET", f"--{chosen.option}")
    workflow = workflow.replace("VERSION", __version__)
    yield ".github/workflows/numa-conformance.yml", workflow


SHIPPED = ("cluster", "gpus", "node", "recorded", "reports")
"""The folders of ``examples/`` that a wheel carries."""


@click.command("examples")
@click.argument("folder", default="examples", type=DIRECTORY)
def examples(folder: Path) -> None:
    """Write pods, nodes, configurations and records to FOLDER (default: examples); nothing is overwritten.

    They are the files that the examples of each command's --help name.
    """
    source = data_folder("examples")
    texts = {
        folder / path.relative_to(source): path.read_text(encoding="utf-8")
        for name in SHIPPED
        for path in sorted((source / name).rglob("*"))
        if path.is_file()
    }
    write_absent(texts)
