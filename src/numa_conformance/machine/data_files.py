"""The one locator of the data that ships with the package."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def data_folder(folder: str) -> Path:
    """Return the folder ``conformance``, ``fixtures``, ``go`` or ``examples``.

    A wheel carries them inside the package, of the latter two a part. An editable install and a checkout have them at
    the top level.
    """
    inside = _PACKAGE / folder
    return inside if inside.is_dir() else _PACKAGE.parents[1] / folder
