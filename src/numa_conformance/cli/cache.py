"""``numa-conformance cache``: the programs that Go has built for this one, and their end."""

import click

from ..builds import cached, clear_cache
from .terminal import columns, print_json, say


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def _list(as_json: bool) -> None:
    """List what Go has built into ~/.cache/numa-conformance, or below XDG_CACHE_HOME, and the sizes."""
    sizes = {}
    for path in cached():
        files = path.rglob("*") if path.is_dir() else [path]
        sizes[str(path)] = sum(file.lstat().st_size for file in files if file.is_file())
    if as_json:
        print_json([{"path": path, "bytes": size} for path, size in sizes.items()])
    else:
        say(*columns([(f"{size >> 20} MiB", path) for path, size in sizes.items()]) or ["nothing is built"])


@click.command("clear")
def _clear() -> None:
    """Remove all of it, once no build runs: who needs a program builds it again."""
    say(*[f"removed {path}" for path in clear_cache()] or ["nothing is built"])
