"""Imports run one way, the pure rooms do no I/O, and importing the package loads nothing heavy."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "investigator"
FILES = sorted(PACKAGE.rglob("*.py"))

# A room may import itself and what stands behind it: the arrows of the design, and what follows from them.
MAY_IMPORT = {
    "errors": set(),
    "core": {"errors"},
    "tools": {"errors", "core"},
    "loops": {"errors", "core", "tools"},
    "store": {"errors", "core"},
    "world": {"errors", "core"},
    "session": {"errors", "core", "tools", "loops", "store", "world"},
    "notebook": {"errors", "core", "tools", "loops", "store", "world", "session"},
    "evals": {"errors", "core", "tools", "loops", "store", "world", "session"},
    "reference": {"errors", "core", "tools", "store", "notebook"},
    "cli": {"errors", "core", "tools", "loops", "store", "world", "session"},
}
ROOT = {"__init__", "__main__"}  # public names and the command: they may name anything
EXCEPTIONS = {("session_views.py", "notebook")}  # the one door, inside functions only
PURE = ("core", "tools", "loops")
IMPURE = {
    "asyncio", "glob", "http", "httpx", "io", "logging", "multiprocessing", "openai", "os", "pathlib", "platform",
    "random", "requests", "secrets", "shutil", "signal", "socket", "sqlalchemy", "sqlite3", "ssl", "subprocess",
    "sys", "tempfile", "threading", "time", "urllib.request", "uuid",
}  # fmt: skip
CLOCK_OR_DISK = {"now", "utcnow", "today", "open", "input", "print", "getenv"}
HEAVY = (
    "pandas", "numpy", "matplotlib", "ipywidgets", "IPython", "openai", "sqlalchemy", "networkx", "httpx",
    "trafilatura",
)  # fmt: skip


def room(path: Path) -> str:
    """The room of a file: its folder, or what its name begins with at the top."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else path.stem.split("_")[0] if path.stem not in ROOT else path.stem


def imported(tree: ast.AST, path: Path) -> Iterator[tuple[str, int]]:
    """Every module that a file imports, with the column of the statement (0: at the top)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((one.name, node.col_offset) for one in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative imports hide an arrow"
            yield node.module, node.col_offset
            yield from ((f"{node.module}.{one.name}", node.col_offset) for one in node.names)


def rooms_named(module: str) -> str:
    parts = module.split(".")
    return parts[1].split("_")[0] if parts[0] == "investigator" and len(parts) > 1 else ""


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path: Path) -> None:
    """A file imports only rooms that stand behind its own."""
    here = room(path)
    if here in ROOT:
        return
    assert here in MAY_IMPORT, f"{path} belongs to no room"
    for module, column in imported(ast.parse(path.read_text()), path):
        there = rooms_named(module)
        if not there or there == here or there in MAY_IMPORT[here]:
            continue
        if (path.name, there) in EXCEPTIONS:
            assert column > 0, f"{path.name} imports {module} outside a function"
            continue
        pytest.fail(f"{path.relative_to(PACKAGE)} imports {module}: {here} must not know {there}")


@pytest.mark.parametrize("path", [one for one in FILES if room(one) in PURE], ids=lambda path: path.stem)
def test_the_pure_rooms_do_no_io(path: Path) -> None:
    """core, tools and loops import no module of I/O, clocks or chance, and call nothing of the kind."""
    tree = ast.parse(path.read_text())
    for module, _ in imported(tree, path):
        assert module not in IMPURE, f"{path.name} imports {module}"
        assert module.split(".")[0] not in IMPURE, f"{path.name} imports {module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            assert name not in CLOCK_OR_DISK, f"{path.name}:{node.lineno} calls {name}"


def test_the_layer_test_sees_a_wrong_arrow() -> None:
    """An import of the store in core would be found: the test can fail."""
    found = [rooms_named(one) for one, _ in imported(ast.parse("from investigator.store import Store"), Path("x.py"))]
    assert "store" in found
    assert "store" not in MAY_IMPORT["core"]


def test_importing_the_package_loads_nothing_heavy() -> None:
    """`import investigator`, `investigate` and the command line leave data frames, databases and plots unloaded."""
    code = (
        "import sys, investigator\n"
        "from investigator import cli, investigate, open_run\n"
        f"print([one for one in {HEAVY!r} if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_room_says_what_it_is_for() -> None:
    """Each folder of the package opens with a docstring."""
    for path in PACKAGE.rglob("__init__.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path
