"""Snapshots of placements with syrupy (``pip install 'numa-conformance[snapshots]'``): text files with a map.

``numa_snapshot`` of the pytest plugin is syrupy's ``snapshot`` with this extension; see ``docs/testing.md``.
"""

from typing import Any

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from .files import real_files
from .machine.picture import PlacementMap


class PlacementExtension(SingleFileSnapshotExtension):
    """Writes a ``PlacementMap``, or a text, to a file of its own: ``__snapshots__/test_file/test_name.txt``."""

    _write_mode = WriteMode.TEXT
    file_extension = _file_extension = "txt"  # the latter until syrupy 5

    def serialize(self, data: Any, **_: Any) -> str:
        """Return the text; raises ``TypeError`` for what is neither."""
        if not isinstance(data, (PlacementMap, str)):
            raise TypeError(f"a snapshot of placements takes a PlacementMap or a text, not {type(data).__name__}")
        return str(data)

    def read_snapshot(self, **place: Any) -> Any:
        """Read the file from the disk, under pyfakefs too."""
        with real_files():
            return super().read_snapshot(**place)

    @classmethod
    def write_snapshot(cls, **written: Any) -> None:
        """Write the file to the disk, under pyfakefs too."""
        with real_files():
            super().write_snapshot(**written)
