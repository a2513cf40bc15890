# Each habit is one word.
check: test lint types

test:
    python -m pytest

slow:
    python -m pytest -m slow

lint:
    ruff check .

types:
    mypy

docs:
    python -m investigator.reference

demo:
    investigator demo
