"""Texts that lie beside the modules which read them."""

import pkgutil


def text_of(package: str, name: str) -> str:
    """Return ``name.txt`` of a package, read as modules are: from the disk, under pyfakefs too."""
    data = pkgutil.get_data(package, f"{name}.txt")
    assert data is not None
    return data.decode()
