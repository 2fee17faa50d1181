import pytest

from clusters import FOLDER


@pytest.fixture(scope="session")
def numa_cluster_options():
    return ["--binaries", FOLDER]
