"""Makes what Python runs in the page: code without docstrings, compiled, and the data beside it. Runs in Pyodide.

The same interpreter reads the code later, so that nothing of it is compiled in the browser.
"""

import ast
import importlib.util
import io
import marshal
import struct
import zipfile
from pathlib import Path

NEVER_READ = {".pyi", ".typed", ".pyx"}
"""What a type checker or a compiler reads."""


def without_docstrings(tree: ast.Module) -> ast.Module:
    """Return a module of which no function, class or module has a docstring."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(ast.Constant(str())), *rest]:
                    node.body = rest or [ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0)]
    return tree


def compiled(source: bytes, name: str) -> bytes:
    """Return a module as a .pyc that is never compared with its source."""
    code = compile(without_docstrings(ast.parse(source)), name, "exec", dont_inherit=True, optimize=0)
    return importlib.util.MAGIC_NUMBER + struct.pack("<III", 0, 0, 0) + marshal.dumps(code)


def stage_folder(source: Path, target: Path, leave_out: set[str]) -> None:
    """Compile the modules of a folder into another, and copy its data; ``leave_out``: paths below the folder."""
    for path in sorted(source.rglob("*")):
        below = path.relative_to(source)
        if any(str(parent) in leave_out for parent in (below, *below.parents)) or "__pycache__" in below.parts:
            continue
        to = target / below
        if path.suffix == ".py":
            to.parent.mkdir(parents=True, exist_ok=True)
            to.with_suffix(".pyc").write_bytes(compiled(path.read_bytes(), str(below)))
        elif path.suffix == ".so" and "emscripten" not in path.name:
            continue  # of another platform: what is beside it in Python is used
        elif path.is_file() and path.suffix not in NEVER_READ and not path.parent.name.endswith(".dist-info"):
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())


def stage_library(archive: Path, target: Path) -> None:
    """Compile the standard library: a zip of sources into one of .pyc files."""
    made = io.BytesIO()
    with zipfile.ZipFile(archive) as library, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as into:
        for entry in library.infolist():
            name = entry.filename
            if name.endswith(".py"):
                into.writestr(zipfile.ZipInfo(name + "c"), compiled(library.read(name), name), zipfile.ZIP_DEFLATED)
    target.write_bytes(made.getvalue())
