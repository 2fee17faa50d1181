import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.errors import UsageError
from numa_conformance.machine.hostfs import DirectoryStore, MemoryStore

NAME = "cpu_manager_state"
CALLS = ("open", "write", "fsync", "close", "replace", "unlink")
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


class Fault:
    """Makes one call of os fail, the ``at``-th; ``calls`` names those that were made. Each writes half."""

    def __init__(self, patch, at, error=OSError):
        self.calls, self._at, self._error = [], at, error
        for name in CALLS:
            patch.setattr(os, name, self._counted(name, getattr(os, name)))

    def _count(self, name):
        self.calls.append(name)
        if len(self.calls) - 1 == self._at:
            raise self._error("made to fail")

    def _counted(self, name, own):
        def call(*args, **more):
            if name == "close":
                own(*args)
            self._count(name)
            if name == "write":
                return own(args[0], args[1][: len(args[1]) // 2 + 1])
            return None if name == "close" else own(*args, **more)

        return call


@pytest.fixture(params=["memory", "directory"])
def store(request, tmp_path):
    return MemoryStore() if request.param == "memory" else DirectoryStore(tmp_path)


def test_what_is_written_is_read(store):
    assert store.read(NAME) is None
    store.write(NAME, "one")
    store.write(NAME, "two \udc80 ü")
    store.write("another", "")
    assert (store.read(NAME), store.read("another")) == ("two \udc80 ü", "")
    assert store.names() == ["another", NAME]
    store.delete(NAME)
    store.delete(NAME)
    assert store.names() == ["another"]
    assert store.where(NAME).endswith(f"/{NAME}")


@given(old=st.none() | TEXTS, new=TEXTS)
def test_whichever_call_fails_old_or_new_content_is_there_whole(old, new):
    with tempfile.TemporaryDirectory() as folder:
        at, ended = 0, False
        while not ended:
            store = DirectoryStore(Path(folder))
            store.delete(NAME)
            if old is not None:
                store.write(NAME, old)
            with pytest.MonkeyPatch.context() as patch:
                fault = Fault(patch, at)
                try:
                    store.write(NAME, new)
                    ended = True
                except OSError:
                    pass
            assert store.read(NAME) == (new if ended else old)
            assert store.names() == ([NAME] if ended or old is not None else [])
            at += 1
        assert fault.calls[-3:] == ["fsync", "close", "replace"]
        assert fault.calls.count("write") > 1 or len(new) < 4
        assert at > len(fault.calls)


def test_an_interrupted_write_leaves_the_old_content_and_no_temporary_file(tmp_path, monkeypatch):
    store = DirectoryStore(tmp_path)
    store.write(NAME, "old")
    with monkeypatch.context() as patch:
        Fault(patch, at=2, error=KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            store.write(NAME, "new")
    assert store.read(NAME) == "old"
    assert [one.name for one in tmp_path.iterdir()] == [NAME]


def test_a_link_is_not_read_and_is_replaced_by_a_write(tmp_path):
    folder = tmp_path / "state"
    folder.mkdir()
    outside = tmp_path / "outside"
    outside.write_text("secret")
    (folder / NAME).symlink_to(outside)
    store = DirectoryStore(folder)
    with pytest.raises(UsageError, match="is a link"):
        store.read(NAME)
    store.write(NAME, "new")
    assert (outside.read_text(), store.read(NAME)) == ("secret", "new")


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", ".hidden", "x" * 200])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(UsageError, match="state file"):
        DirectoryStore(tmp_path).write(name, "x")


def test_a_file_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("numa_conformance.machine.hostfs.stores.MAX_BYTES", 10)
    (tmp_path / NAME).write_text("x" * 11)
    with pytest.raises(UsageError, match="larger than"):
        DirectoryStore(tmp_path).read(NAME)


def test_a_folder_in_the_place_of_a_file_is_named(tmp_path):
    (tmp_path / NAME).mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        DirectoryStore(tmp_path).read(NAME)


def test_a_store_needs_a_folder(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        DirectoryStore(tmp_path / "nowhere")
