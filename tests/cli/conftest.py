import pytest

from numa_conformance.cli import main


@pytest.fixture
def run(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")

    def run_command(*argv):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in argv])
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run_command


@pytest.fixture
def files(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write
