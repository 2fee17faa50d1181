"""``news``: of the requirements that came or were tightened since a release, those that concern a target."""

import json

import pytest

from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.judging.releases import NEXT, RELEASES

SINCE = next(iter(RELEASES))


def news(run, *words):
    code, out, err = run("news", "--json", *words)
    assert (code, err) == (0, "")
    return json.loads(out)


def test_all_that_is_new_or_tightened_is_listed(run):
    rows = news(run, "--since", f"{SINCE}.0")
    new = REQUIREMENTS.keys() - {id for release in RELEASES.values() for id in release.new}
    assert {row["id"] for row in rows if row["change"] == "new"} == new
    assert {row["id"] for row in rows if row["change"] == "tightened"} == RELEASES[NEXT].tightened.keys() - new
    assert news(run, "--since", NEXT) == []
    out = run("news")[1]
    assert all(f"{row['change']}: {row['id']} ({row['strength']}" in out for row in rows)


def test_what_a_target_does_not_claim_is_left_out(run, files):
    everything = {row["id"] for row in news(run)}
    claims = json.dumps({"features": ["cpu-manager/static"], "surfaces": ["node"]})
    of_static = {row["id"] for row in news(run, "--claims", files("claims.json", claims))}
    assert of_static
    assert of_static < everything
    assert {feature for id in of_static for feature in REQUIREMENTS[id].features} <= {"cpu-manager/static"}
    none = json.dumps({"target": {"features": ["cpu-manager/static"], "surfaces": []}})
    assert news(run, "--claims", files("none.json", none)) == []
    smoke = files("smoke.json", run("smoke", "--json")[1])
    assert {row["id"] for row in news(run, "--claims", smoke)} > of_static


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--since", "9.1"], "there is no release '9.1' (accepted: "),
        (["--claims", "other.json"], "other.json: names no features and surfaces (accepted: a report of the suite"),
        (["--claims", "absent"], "absent: cannot be read"),
    ],
)
def test_what_cannot_be_read_is_one_line(run, files, monkeypatch, tmp_path, words, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.json").write_text('{"features": 1}')
    code, _, err = run("news", *words)
    assert (code, said in err, err.count("\n")) == (2, True, 1)
