"""``numa-conformance playground``: the page that answers in a browser, served to this computer alone."""

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import click

from ..errors import Fault, UsageError
from .options import DIRECTORY

_BUILT = (Path("playground/built"), Path("site/playground"), Path())
"""Where a checkout, its site and the folder itself have the page, in this order."""


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Print nothing of each file."""


# Some systems know the ending as another type, with which no browser runs a module.
_Handler.extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}


@click.command("playground")
@click.option(
    "--folder", metavar="FOLDER", type=DIRECTORY, help="The page's (default: playground/built, site/playground, .)."
)
@click.option("--port", default=8377, show_default=True, help="The port; 0 for a free one.")
def command(folder: Path | None, port: int) -> None:
    """Serve on 127.0.0.1 the page in which a browser answers what simulate does, until Ctrl-C.

    `python playground/build.py` in a checkout builds the page, as `tox run -e site` does.
    """
    folders = _BUILT if folder is None else (folder,)
    built = next((each for each in folders if (each / "sw.js").is_file()), None)
    if built is None:
        place = "--folder" if folder is None else str(folder)
        accepted = "a folder that `python playground/build.py` made in a checkout"
        raise UsageError(Fault(place, "there is no built page", accepted))
    with ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, directory=str(built))) as server:
        click.echo(f"http://127.0.0.1:{server.server_port}/ shows the page of {built} (Ctrl-C ends it)")
        server.serve_forever()
