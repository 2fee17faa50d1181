"""Show known bugs on the released code that has them, and that the first release without them is without.

    python go/track_record/track_record.py                      # every bug that there are questions for
    python go/track_record/track_record.py groups-may-cross     # one
    python go/track_record/track_record.py hwloc                # an allocator of others, of examples/
    python go/track_record/track_record.py --built ROW...       # by programs that are built already, none built anew
    python go/track_record/track_record.py --page               # write docs/track-record.md anew

Each bug has a short history beside (``histories``). Its questions are put to the kubelet's own managers
(``go/kubelet``) of the newest release that has the bug and of the first one without. Both must answer as the reference
of their versions, and must differ; where a requirement is at stake the first breaks it and the second does not. Of a
bug that is still there the reference without its quirk takes the second one's place. What came of it is kept in
``repeated.json``. Exits 1 where a bug is not shown.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from contextlib import AbstractContextManager, ExitStack, closing
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "kubelet"))

import ask  # noqa: E402  (it lies beside)
from bugs import Bug, bugs  # noqa: E402
from page import track_record_page  # noqa: E402
from third_parties import parties, repeat_party  # noqa: E402

from numa_conformance.comparing.two_targets import TwoTargets  # noqa: E402
from numa_conformance.judging.verdicts import judge  # noqa: E402
from numa_conformance.report.causes import answers_of  # noqa: E402
from numa_conformance.report.reference_answers import open_reference  # noqa: E402
from numa_conformance.sources.changes import Changes  # noqa: E402
from numa_conformance.sources.quirks import QUIRKS, Quirks  # noqa: E402
from numa_conformance.sources.versions import KubernetesVersion  # noqa: E402
from numa_conformance.wire import Client, Stdio  # noqa: E402
from numa_conformance.wire.history.history import History, read_histories  # noqa: E402
from numa_conformance.wire.termination import EndsInOrder  # noqa: E402

REPEATED = HERE / "repeated.json"
PAGE = HERE.parent.parent / "docs" / "track-record.md"
SECONDS = 20.0
"""How long a program may take for one answer: some bugs are calls that do not end."""


def history_of(bug: Bug) -> History | None:
    """Return the questions that show a bug; None where there are none."""
    path = HERE / "histories" / f"{bug.id}.jsonl"
    if not path.exists():
        return None
    (history,) = read_histories(path.read_text(encoding="utf-8").splitlines())
    return history


def program_of(version: KubernetesVersion, *, built: bool) -> Path | None:
    """Return the program of a minor, built where it is to be; None where it is not there."""
    minor = str(version.of_minor)
    if not built:
        print(f"building the managers of Kubernetes {ask.patches()[minor]} (minutes the first time)", flush=True)
        return ask.build(minor)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "numa-conformance"
    program = cache / f"kubelet-{minor}"
    return program if program.exists() else None


def nearest(versions: list[KubernetesVersion], *, built: bool) -> Path | None:
    """Return the program of the first version, or of the first that is built where only those count."""
    found = (program_of(version, built=built) for version in (versions if built else versions[:1]))
    return next((program for program in found if program is not None), None)


def repeat(bug: Bug, *, built: bool) -> dict[str, Any] | str:
    """Ask both sides; returns what came of it, or in a sentence why the bug is not shown."""
    history = history_of(bug)
    if history is None:
        return "no questions that show it"
    having, lacking = releases(bug)
    with EndsInOrder(), ExitStack() as opened:
        program = nearest(having, built=built)
        if program is None:
            return f"no program of {' or '.join(map(str, having))} is built"
        one = opened.enter_context(closing(Client(Stdio(str(program), SECONDS))))
        if not lacking:
            other = opened.enter_context(without(bug, one))
        else:
            program = nearest(lacking, built=built)
            if program is None:
                return f"no program of {' or '.join(map(str, lacking))} is built"
            other = opened.enter_context(closing(Client(Stdio(str(program), SECONDS))))
        return compared(history, one, other, released=bool(lacking))


def releases(bug: Bug) -> tuple[list[KubernetesVersion], list[KubernetesVersion]]:
    """Return the versions that have a bug, newest first, and those without it, oldest first."""
    known = [KubernetesVersion.parse(patch) for patch in ask.patches().values()]
    having = [bug.shown_on, *(one for one in reversed(known) if one < bug.shown_on and _has(bug, one))]
    if bug.mended_in is None:
        return having, []
    return having, [bug.mended_in, *(one for one in known if one > bug.mended_in)]


def _has(bug: Bug, version: KubernetesVersion) -> bool:
    return version in QUIRKS[bug.id].versions if bug.id in QUIRKS else True


def without(bug: Bug, client: Client) -> AbstractContextManager[Client]:
    """Return the reference of the version that a target follows, without the bug."""
    version = KubernetesVersion.supported(client.description.kubernetes_version)
    return open_reference("exact", version, Quirks.of(version).without(bug.id), Changes.of(version))


def compared(history: History, one: Client, other: Client, *, released: bool) -> dict[str, Any] | str:
    """Compare what both answer, and each that is released code with its reference."""
    began = time.perf_counter()
    shown, beside = answers_of(history, one), answers_of(history, other)
    seconds = time.perf_counter() - began
    found = TwoTargets(one, other).differing(shown, beside)
    names = [client.description.kubernetes_version for client in (one, other)]
    if found is None:
        return f"{names[0]} and {names[1]} answer alike"
    for client, told in ((one, shown), (other, beside)) if released else ((one, shown),):
        follows = client.description.kubernetes_version
        with open_reference("exact", KubernetesVersion.supported(follows)) as reference:
            if TwoTargets(client, reference).differing(told, answers_of(history, reference)) is not None:
                return f"{follows} answers otherwise than its reference"
    return {
        "shown_on": names[0],
        "without": names[1] if released else "the reference without it",
        "place": f"{found.history.steps[found.step].method}: {found.differences[0].path}",
        "requirements": sorted(judge(shown).unmet - judge(beside).unmet),
        "seconds": round(seconds, 2),
        "when": date.today().isoformat(),
    }


def keep(row: str, came: dict[str, Any]) -> None:
    """Keep what came of a row beside what is kept of the others."""
    kept = json.loads(REPEATED.read_text(encoding="utf-8")) | {row: came}
    REPEATED.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def page() -> str:
    """Return ``docs/track-record.md`` of what is kept."""
    kept = json.loads(REPEATED.read_text(encoding="utf-8"))
    asked = {path.stem for path in (HERE / "histories").iterdir()}
    return track_record_page(kept, asked)


def main(words: list[str]) -> int:
    """Repeat bugs, keep what came of it, and write the page anew."""
    known = {bug.id: bug for bug in bugs()}
    parser = argparse.ArgumentParser(prog="track-record", description=__doc__.splitlines()[0], allow_abbrev=False)
    others = {party.id: party for party in parties()}
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"one of {', '.join([*known, *others])}")
    parser.add_argument("--built", action="store_true", help="ask programs that are built already; the nearest count")
    parser.add_argument("--page", action="store_true", help="write docs/track-record.md anew, and ask nothing")
    options = parser.parse_args(words)
    unknown = [row for row in options.rows if row not in known and row not in others]
    if unknown:
        parser.error(f"there is no row {', '.join(unknown)}; accepted: {', '.join([*known, *others])}")
    failed = 0
    every = [row for row in known if history_of(known[row])]
    for row in () if options.page else options.rows or every:
        came = repeat_party(others[row]) if row in others else repeat(known[row], built=options.built)
        if isinstance(came, str):
            failed += 1
            print(f"{row}: NOT SHOWN: {came}", flush=True)
        else:
            keep(row, came)
            print(f"{row}: shown: {came}", flush=True)
    PAGE.write_text(page(), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
