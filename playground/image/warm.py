"""What a Python has done before its memory is kept: it has imported all, and has answered each example.

What it returns, as JSON, is known to the page before Python is.
"""

import gc
import json
import sys
from pathlib import Path

sys.path.insert(0, "/app")
import ask
import yaml

from numa_conformance import __version__, catalogue_names, load_machine
from numa_conformance.machine.model import summarize
from numa_conformance.sources.versions import SUPPORTED

examples = [yaml.safe_load(path.read_text()) for path in sorted(Path("/examples").glob("*.yaml"))]
for example in examples:
    ask.ask_json(json.dumps(example["question"]))
ask.ask_json(json.dumps({**examples[0]["question"], "pods": "a: [", "config": "kind: KubeletConfigurationn"}))
facts = {
    "version": __version__,
    "versions": [str(version) for version in reversed(SUPPORTED)],
    "machines": [{"name": name, "about": str(summarize(load_machine(name)))} for name in catalogue_names()],
    "examples": [{name: example[name] for name in ("title", "why", "question")} for example in examples],
}
sys.path_importer_cache.clear()
gc.collect()
json.dumps(facts)
