"""A loader of YAML that is safe, keeps dates as texts, and refuses what no document of Kubernetes has."""

from typing import Any

import yaml

MAX_BITS = 14_000
"""Of a whole number; as decimal digits Python prints 4,300."""
MAX_MERGED = 100_000
"""Values that the merge keys of one document may bring in."""
_MERGE, _TEXT = "tag:yaml.org,2002:merge", "tag:yaml.org,2002:str"
BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Loader(BASE):  # type: ignore[misc]  # the C loader has no type information
    """A safe loader that keeps dates as texts, and refuses a key given twice, or notes it in ``repeated``."""

    repeated: list[str] | None = None

    def construct_document(self, node: yaml.Node) -> Any:
        """Construct a document, with nothing checked or merged yet."""
        self._checked: set[int] = set()
        self._merged = 0
        return super().construct_document(node)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Refuse what has more digits than JSON's numbers may have here, which nothing could print."""
        number: int = super().construct_yaml_int(node)
        if number.bit_length() > MAX_BITS:
            raise yaml.MarkedYAMLError(problem="a number has too many digits", problem_mark=node.start_mark)
        return number

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Resolve merge keys; every mapping passes here before it is built, some of them more than once."""
        if id(node) not in self._checked:
            self._checked.add(id(node))
            _check_keys(node, self.repeated)
        before = len(node.value)
        super().flatten_mapping(node)
        self._merged += len(node.value) - before
        if self._merged > MAX_MERGED:
            raise yaml.MarkedYAMLError(
                problem=f"merge keys bring in more than {MAX_MERGED} values", problem_mark=node.start_mark
            )


def _check_keys(node: yaml.MappingNode, repeated: list[str] | None) -> None:
    """Refuse a key given twice, or note it; a number or a truth value as a key is the text it is written as."""
    keys: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key is a list or a mapping", problem_mark=key.start_mark)
        if key.tag != _MERGE:
            if key.value in keys and repeated is not None:
                repeated.append(f":{key.start_mark.line + 1}: {key.value} is given twice: the last one counts")
            elif key.value in keys:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} is given twice", problem_mark=key.start_mark)
            keys.add(key.value)
            key.tag = _TEXT


Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: loader.construct_scalar(node))
