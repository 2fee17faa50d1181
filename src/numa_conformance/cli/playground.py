"""``numa-conformance playground``: the page that answers in a browser, served to this computer alone."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from ..errors import Fault, UsageError
from .options import DIRECTORY


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing of each file."""


# Some systems know the ending as another type, with which no browser runs a module.
_Handler.extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}


@click.command("playground")
@click.option("--folder", metavar="FOLDER", default="playground/built", show_default=True, type=DIRECTORY)
@click.option("--port", default=8377, show_default=True, help="The port; 0 for a free one.")
def command(folder: Path, port: int) -> None:
    """Serve FOLDER on 127.0.0.1: the page in which a browser answers what simulate does, until Ctrl-C.

    `python playground/build.py` in a checkout builds the page, `tox run -e site` builds it as site/playground.
    """
    if not (folder / "sw.js").is_file():
        accepted = "what `python playground/build.py` in a checkout built"
        raise UsageError(Fault(str(folder), "there is no page", accepted))
    with ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(folder))) as server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ shows the page of {folder} (Ctrl-C ends it)")
        server.serve_forever()
