import json

import jsonschema
import msgspec
import pytest

from numa_conformance.files import data_folder
from numa_conformance.report.model import report_schema
from report.runs import failing_run


def test_the_shipped_schema_is_the_one_made_from_the_classes():
    text = (data_folder("fixtures") / "schemas" / "report.schema.json").read_text(encoding="utf-8")
    assert json.loads(text) == report_schema()


def test_a_report_fits_the_schema():
    jsonschema.validate(msgspec.to_builtins(failing_run()), report_schema())


@pytest.mark.parametrize("spoil", [{"verdict": None}, {"cases": [{"id": "a"}]}, {"counts": {"passed": "1"}}])
def test_what_is_no_report_does_not_fit(spoil):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**msgspec.to_builtins(failing_run()), **spoil}, report_schema())


def test_a_verdict_outside_the_list_does_not_fit():
    report = msgspec.to_builtins(failing_run())
    report["cases"][0]["verdict"] = "fine"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, report_schema())
