"""What a plugin or a driver is called that somebody starts by a command line."""

import pytest

from numa_conformance.lab.daemon.daemon import name_of


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["/opt/my-plugin"], "my-plugin"),
        (["./my-plugin", "--socket", "/run/nri.sock"], "my-plugin"),
        (["python3", "/src/plugin.py", "--flag"], "python3 plugin.py"),
        (["./plugin.sh", "{nri_socket}"], "plugin.sh"),
    ],
)
def test_it_is_the_program_and_its_script(words, name):
    assert name_of(words) == name
