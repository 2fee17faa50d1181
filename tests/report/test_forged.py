"""A report is data: what its forger puts in place of names, or leaves out, is refused."""

import errno
import json
from collections import Counter
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from numa_conformance.asking.drive import drive
from numa_conformance.asking.groups import GROUPS
from numa_conformance.asking.profiles import Profile
from numa_conformance.cli import main
from numa_conformance.errors import UsageError
from numa_conformance.files import write_text
from numa_conformance.judging.verdicts import judge
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.report import writers
from numa_conformance.report.case import Case, check_others_files
from numa_conformance.report.claims import Target
from numa_conformance.report.compare import Column, merge_reports
from numa_conformance.report.html import html_page, matrix_page
from numa_conformance.report.model import Summary
from numa_conformance.report.reading import read_report, requirements_of_profile
from numa_conformance.report.writers import badge_svg, junit_xml, markdown_text, write_reports
from numa_conformance.wire import Client, InProcess, Unsupported
from numa_conformance.wire.features import FEATURES
from numa_conformance.wire.history.history import histories_text
from numa_conformance.wire.messages.pick import Pick, Picked
from report.runs import case, run

STEP = "histories/test_histories::test_every_step"


def whole() -> Summary:
    """Return a report of a profile that was run whole, and met."""
    target = Target("mine", "1", "1.37", ["pick"], sorted(FEATURES))
    empty = Summary.concluded(target, "documented", "pick@1.37", [], [], narrowed=False)
    names = sorted(requirements_of_profile(empty))
    cases = [Case(f"{STEP}[{name}]", [name], name.partition("/")[0], "passed") for name in names]
    return Summary.concluded(target, "documented", "pick@1.37", cases, [], narrowed=False)


def _cut(report: dict, number: int) -> None:
    report["cases"] = report["cases"][:number]
    report["counts"] = {**report["counts"], "passed": number}
    report["planned"] = number


def _twice(report: dict) -> None:
    report["cases"].append(report["cases"][0])
    report["counts"]["passed"] += 1
    report["planned"] += 1


A_CASE, OF_ITS_VERSION = "accepted: a case of the suite, once", r"profile: is .* \(accepted: NAME@1\.37\)"
FORGERIES = {
    "one passed case is the whole profile": (lambda report: _cut(report, 1), "of its requirements have no case"),
    "no case at all": (lambda report: _cut(report, 0), "of its requirements have no case"),
    "all but one case": (lambda report: _cut(report, len(report["cases"]) - 1), "1 of its requirements have no case"),
    "fewer cases than none were planned": (
        lambda report: report.update(planned=-1, profile=""),
        r">= 0 - at `\$\.planned`",
    ),
    "vast counts": (lambda report: report["cases"][0].update(asked=1 << 60), r"<= 9007199254740992 - at `\$\.cases"),
    "a format of its own": (lambda report: report.update(format="numa-conformance report 9"), "format: is"),
    "a case of another requirement": (
        lambda report: report["cases"][0].update(id=f"{STEP}[foo/bar]"),
        "accepted: a case of its requirement",
    ),
    "more cases were planned": (lambda report: report.update(planned=1000), "planned: is 1000, and"),
    "no number of planned cases": (lambda report: report.pop("planned"), "planned: is 0, and"),
    "a profile of its own": (lambda report: report.update(profile="all in the world@9"), "no profile 'all in the"),
    "a profile without a version": (lambda report: report.update(profile="all"), OF_ITS_VERSION),
    "a profile of another version": (lambda report: report.update(profile="pick@1.36"), OF_ITS_VERSION),
    "a level of its own": (lambda report: report.update(level="exactly as NVIDIA"), "level: is 'exactly as NVIDIA'"),
    "a version of Kubernetes": (lambda report: report["target"].update(kubernetes="9.99"), "9.99"),
    "a name with a verdict": (lambda report: report["target"].update(name="a\nVERDICT"), r"name: is 'a\\nVERDICT'"),
    "a version with a turned text": (
        lambda report: report["target"].update(version="\u202e1"),
        r"version: is '\\u202e1",
    ),
    "a suite of its own": (lambda report: report.update(suite="certified by the CNCF"), "suite: is 'certified"),
    "a release that never was": (lambda report: report.update(suite="7.0.0"), "suite: is '7.0'"),
    "an unknown requirement": (lambda report: report["cases"][0].update(requirements=["x/y"]), "ids of requirements"),
    "an unknown test": (lambda report: report["cases"][0].update(id=f"{STEP}s[a]"), A_CASE),
    "an unknown file": (lambda report: report["cases"][0].update(id="mine/test_a::test_b"), A_CASE),
    "a case that is words": (lambda report: report["cases"][0].update(id="all is well"), A_CASE),
    "a case twice": (_twice, A_CASE),
    "a file elsewhere": (
        lambda report: report["cases"][0].update(history="../../etc/passwd"),
        "history: is '../../etc/passwd' ",
    ),
    "other counts": (lambda report: report["counts"].update(failed=1), "counts 1 cases as failed, and has 0"),
    "a verdict of its own": (lambda report: report["cases"][0].update(verdict="certified"), "is no report"),
}


@pytest.mark.parametrize(("forge", "words"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_report_is_refused_by_each_command(tmp_path: Path, capsys, forge, words: str):
    write_reports(whole(), tmp_path / "true")
    assert read_report(tmp_path / "true").verdict == "conformant"
    report = json.loads((tmp_path / "true/report.json").read_text())
    forge(report)
    (tmp_path / "forged.json").write_text(json.dumps(report))
    with pytest.raises(UsageError, match=words):
        read_report(tmp_path / "forged.json")
    out = tmp_path / "out"
    for command in (["merge", "-o", str(out)], ["matrix", "-o", str(out)]):
        with pytest.raises(SystemExit, match="2"):
            main(["report", command[0], str(tmp_path / "forged.json"), *command[1:]])
    assert not out.exists()
    assert "conformant" not in capsys.readouterr().out


def test_what_is_not_complete_is_not_conformant(tmp_path: Path):
    write_reports(msgspec.structs.replace(whole(), complete=False), tmp_path)
    read = read_report(tmp_path)
    assert (read.verdict, read.claim.startswith("The run ended before")) == ("partial", True)
    assert "#2e7d32" not in badge_svg(read)


def test_parts_of_two_versions_of_the_suite_do_not_merge():
    with pytest.raises(UsageError, match=r"numa-conformance 0\.3\.0\) \(accepted: mine 1 .*numa-conformance "):
        merge_reports([run(case(1)), msgspec.structs.replace(run(case(2)), suite="0.3.0")], ["a", "b"])


def test_what_an_older_release_did_not_have_its_report_need_not_have(tmp_path: Path):
    older = msgspec.structs.replace(whole(), suite="0.2.7")
    write_reports(older, tmp_path)
    assert read_report(tmp_path).verdict == "conformant"


def test_nothing_is_written_of_a_report_that_cannot_be_shown(tmp_path: Path):
    nonsense = msgspec.structs.replace(run(case(1)), target=Target("mine", "1", "nonsense", [], []))
    with pytest.raises(UsageError):
        write_reports(nonsense, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("written", range(4))
def test_a_full_disk_leaves_no_half_of_a_report_and_no_earlier_one(tmp_path: Path, monkeypatch, written: int):
    write_reports(whole(), tmp_path)
    places = iter(range(written))

    def replace(path: Path, text: str) -> None:
        if next(places, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_text(text)

    monkeypatch.setattr(writers, "replace_text", replace)
    with pytest.raises(UsageError, match="cannot be written: No space left on device"):
        write_reports(run(case(1)), tmp_path)
    assert list(tmp_path.iterdir()) == []


CONTROL = "a\x1b[31m\x07\r\u202eb\u2028c\x85d"


def test_no_page_has_what_moves_a_cursor_or_turns_a_text():
    report = run(case(1, "failed", details=CONTROL), case(2, "error", details=CONTROL), name="mine")
    report = msgspec.structs.replace(report, problems=[CONTROL], notes=[CONTROL])
    target = msgspec.structs.replace(report.target, name=CONTROL, version=CONTROL, features=[CONTROL])
    report = msgspec.structs.replace(report, target=target, level=CONTROL)
    pages = [write(report) for write in (html_page, badge_svg, junit_xml, markdown_text)]
    for page in (*pages, matrix_page([Column(report)])):
        assert not Counter(page).keys() & set("\x1b\x07\r\u202e\u2028\x85")


def test_a_profile_names_each_requirement_once():
    assert Profile.parse("pick@1.37", "1.37").surface == "pick"
    names = list(requirements_of_profile(whole()))
    assert len(names) == len(set(names)) > 15


def test_a_report_is_verified_by_asking_again(tmp_path: Path, capsys):
    client = Client(InProcess(ReferenceTarget, "the reference"))
    scenarios = islice(GROUPS["picks"].scenarios(client.features, 0), 3)
    text = histories_text(drive(scenario, client, "1.37")[0] for scenario in scenarios)
    write_text(tmp_path / "histories/all/picks.jsonl", text)
    kept = msgspec.structs.replace(case(1), conversations=["histories/all/picks.jsonl"])
    report = run(kept, name=client.description.name)
    target = msgspec.structs.replace(report.target, version=client.description.version)
    write_text(tmp_path / "report.json", msgspec.structs.replace(report, target=target).to_json())

    def verified(*options: str) -> tuple[object, str]:
        with pytest.raises(SystemExit) as ended:
            main(["report", "verify", str(tmp_path), *options])
        return ended.value.code, capsys.readouterr().out

    assert verified() == (0, "3 of 3 histories were asked again: 3 as the report says, 0 otherwise\n")
    write_text(tmp_path / "histories/all/picks.jsonl", text.replace('"cpus":"', '"cpus":"7,', 1))
    code, printed = verified()
    assert code == 1
    assert "another answer: " in printed
    assert "2 as the report says, 1 otherwise" in printed
    supports_nothing = ("--target", "report.test_forged:SupportsNothing")
    assert verified(*supports_nothing)[1].endswith("0 as the report says, 3 otherwise\n")
    assert verified("--sample", "-1")[0] == 2
    head = text.splitlines()[0]
    write_text(tmp_path / "histories/all/picks.jsonl", f'{head}\n{{"end":0}}\n')
    assert verified()[0] == 2  # a history that asks nothing verifies nothing


class TooFew(ReferenceTarget):
    """Gives one CPU, however many are asked for."""

    def pick(self, request: Pick) -> Picked:
        answer = super().pick(request)
        return Picked(answer.cpus.partition(",")[0].partition("-")[0]) if isinstance(answer, Picked) else answer


def test_a_report_says_no_better_than_its_histories(tmp_path: Path, capsys):
    client = Client(InProcess(TooFew, "the reference"))
    scenario = next(GROUPS["picks"].scenarios(client.features, 0))
    history, _ = drive(scenario, client, "1.37")
    unmet = sorted(judge(history).unmet)
    assert "cpu-manager/static/integral-guaranteed-is-exclusive" in unmet
    write_text(tmp_path / "histories/all/picks.jsonl", histories_text([history]))
    cases = [Case(f"{STEP}[{name}]", [name], name.partition("/")[0], "passed") for name in unmet]
    cases[0] = msgspec.structs.replace(cases[0], conversations=["histories/all/picks.jsonl"])
    for kept, code in ((cases, 1), ([msgspec.structs.replace(each, verdict="failed") for each in cases], 0)):
        report = run(*kept, name=client.description.name)
        target = msgspec.structs.replace(report.target, version=client.description.version)
        write_text(tmp_path / "report.json", msgspec.structs.replace(report, target=target).to_json())
        with pytest.raises(SystemExit) as ended:
            main(["report", "verify", str(tmp_path), "--target", "report.test_forged:TooFew"])
        assert ended.value.code == code
        assert ("met by the report, and not by" in capsys.readouterr().out) is (code == 1)


def test_a_folder_of_others_is_refused(tmp_path: Path):
    (tmp_path / "histories").mkdir()
    with pytest.raises(UsageError, match=r"has histories and no report\.json"):
        check_others_files(tmp_path)
    write_text(tmp_path / "report.json", whole().to_json())
    check_others_files(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "histories").rmdir()
    (tmp_path / "histories").symlink_to("mine")
    with pytest.raises(UsageError, match="is a link"):
        check_others_files(tmp_path)


class SupportsNothing(ReferenceTarget):
    def pick(self, request: Pick) -> Picked:
        raise Unsupported("not today")


def test_what_is_not_asked_again_is_not_met(tmp_path: Path, capsys):
    client = Client(InProcess(ReferenceTarget, "the reference"))
    scenario = next(iter(GROUPS["picks"].scenarios(client.features, 0)))
    text = histories_text([drive(scenario, client, "1.37")[0]]).replace('"cpus":"', '"cpus":"7,', 1)
    write_text(tmp_path / "wrong.jsonl", text)
    with pytest.raises(SystemExit) as ended:
        main(["judge", "--again", str(tmp_path / "wrong.jsonl"), "--target", "report.test_forged:SupportsNothing"])
    assert ended.value.code == 1
    printed = capsys.readouterr().out
    assert "not asked now: " in printed
    assert "met now: " not in printed
