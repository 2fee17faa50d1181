"""A run as JUnit XML, with the requirement ids as properties; without times, so that equal runs give equal files."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from .case import UNMET, Case
from .model import Summary

_FAILURES = (*UNMET, "unexpectedly passed")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(summary: Summary) -> str:
    """Return one test suite for each area; a verdict that has no JUnit element of its own is the element's type.

    What is wrong with the run itself is a suite of errors, so that no reader takes the file for that of a green run.
    """
    root = ElementTree.Element(
        "testsuites", name=_clean(f"numa-conformance {summary.target.name} {summary.target.version}")
    )
    areas: dict[str, list[Case]] = {}
    for case in summary.cases:
        areas.setdefault(case.area, []).append(case)
    for area, cases in sorted(areas.items()):
        verdicts = [case.verdict for case in cases]
        failures = sum(verdict in _FAILURES for verdict in verdicts)
        errors = verdicts.count("error")
        passed = verdicts.count("passed")
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_clean(area),
            tests=str(len(cases)),
            failures=str(failures),
            errors=str(errors),
            skipped=str(len(cases) - failures - errors - passed),
        )
        for case in cases:
            _add_case(suite, case)
    if summary.problems:
        _add_problems(root, summary)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_problems(root: ElementTree.Element, summary: Summary) -> None:
    count = str(len(summary.problems))
    suite = ElementTree.SubElement(root, "testsuite", name="run", tests=count, failures="0", errors=count, skipped="0")
    for problem in summary.problems:
        element = ElementTree.SubElement(suite, "testcase", classname="run", name=_clean(problem))
        ElementTree.SubElement(element, "error", type="problem", message=_clean(problem))


def _add_case(suite: ElementTree.Element, case: Case) -> None:
    file, _, name = case.id.partition("::")
    element = ElementTree.SubElement(suite, "testcase", classname=_clean(file), name=_clean(name))
    properties = ElementTree.SubElement(element, "properties")
    for requirement in case.requirements:
        ElementTree.SubElement(properties, "property", name="requirement", value=_clean(requirement))
    if case.verdict == "passed":
        return
    tag = "failure" if case.verdict in _FAILURES else "error" if case.verdict == "error" else "skipped"
    first = case.details.splitlines()[0] if case.details else case.verdict
    outcome = ElementTree.SubElement(element, tag, type=case.verdict, message=_clean(first))
    outcome.text = _clean(case.details)


def _clean(text: str) -> str:
    """Replace what XML cannot hold; a target may answer anything."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
