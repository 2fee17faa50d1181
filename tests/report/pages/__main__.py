"""Write into pages what their commands print and draw now: ``python -m pages docs/tutorial.md``, or all of them."""

import shutil
import sys
import tempfile
from pathlib import Path

from . import PAGES, PICTURES, commands, follow, matches

asked = 0
for page in map(Path, sys.argv[1:] or map(str, PAGES)):
    text = page.read_text()
    lines = text.splitlines()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = list(follow(text, Path(folder)))
        asked += len(outcomes)
        for ran in reversed(outcomes):
            if ran.command.shown is None:
                print(f"{page}: {ran.code} {ran.command.typed}")
            elif not matches(ran.command.shown, ran.printed):
                print(f"{page}: {ran.code} {ran.command.typed}: written")
                lines[ran.command.lines] = [line.rstrip() for line in ran.printed.rstrip().splitlines()]
        for drawn in Path(folder).glob("*.svg"):
            shutil.copyfile(drawn, PICTURES / drawn.name)
    page.write_text("\n".join(lines) + "\n")
print(f"{sum(len(commands(page)) for page in PAGES)} commands on {len(PAGES)} pages; {asked} were run")
