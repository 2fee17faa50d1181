import importlib

import pytest

from numa_conformance.sources.options import STATIC_OPTIONS


@pytest.mark.parametrize("option", STATIC_OPTIONS.values(), ids=lambda option: option.name)
def test_an_option_has_a_file_of_its_name_with_the_page_s_sentence_at_its_head(option):
    head = importlib.import_module(f"numa_conformance.reference.managers.cpu.options.{option.field}").__doc__
    assert head.startswith(f"``{option.name}``: {option.text}.\n\n{option.source.address}\n")
