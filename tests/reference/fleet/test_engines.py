import subprocess
import sys
import textwrap

import pytest

from asked_in_full import deep
from numa_conformance.errors import UsageError
from numa_conformance.reference.fleet import open_engine
from processes import PATIENCE


def test_an_unknown_engine_gets_a_suggestion():
    with pytest.raises(UsageError, match="did you mean 'dask'"), open_engine("dsk"):
        pass


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"numa-conformance\[dask\]"), open_engine("dask"):
        pass


@deep
def test_dask_computes_the_same_in_the_same_order(tmp_path):
    pytest.importorskip("distributed", reason="the engine Dask is an optional extra: numa-conformance[dask]")
    script = tmp_path / "campaign.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys
            sys.path[:0] = sys.argv[1:]
            from test_run import outcomes

            if __name__ == "__main__":
                assert outcomes("dask") == outcomes("local")
                print("the same")
            """
        )
    )
    here = __file__.rpartition("/")[0]
    run = subprocess.run(
        [sys.executable, "-W", "ignore", script, here], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert run.stdout.strip() == "the same", run.stderr[-3000:]
