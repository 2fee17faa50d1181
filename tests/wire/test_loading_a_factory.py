import pytest

from numa_conformance.errors import UsageError
from numa_conformance.wire import load_factory


@pytest.mark.parametrize(
    ("text", "said"), [("def make(:", "SyntaxError"), ("raise ValueError('not today')", "not today")]
)
def test_a_module_that_cannot_be_imported_is_wrong_usage(tmp_path, monkeypatch, text, said):
    name = f"broken_{said.split()[0].lower()}"
    (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UsageError, match=said):
        load_factory(f"{name}:make")


def test_a_relative_name_is_wrong_usage():
    with pytest.raises(UsageError, match="cannot be loaded"):
        load_factory(".x:y")
