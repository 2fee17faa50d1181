import re
from pathlib import Path

import pytest

from contributing.house import files_of_recipe

ROOT = Path(__file__).parents[2]
RECIPES = re.findall(r"^### (.+)$", (ROOT / "CONTRIBUTING.md").read_text(), re.M)


def test_there_are_recipes():
    assert "A version of Kubernetes, a gate, a default" in RECIPES


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_names_files_that_are_there(recipe):
    named = files_of_recipe(recipe)
    assert named
    missing = [path for path in named if not list(ROOT.glob(re.sub(r"<\w+>", "*", path)))]
    assert missing == []
