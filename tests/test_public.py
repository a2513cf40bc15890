"""The public face: its names are sorted, exist, and are explained."""

from __future__ import annotations

import subprocess
import sys

import pytest

import investigator as iv


def test_the_public_names_are_sorted_and_complete() -> None:
    """`__all__` is in order, without doubles, and equals what is loaded lazily."""
    assert list(iv.__all__) == sorted(set(iv.__all__))
    assert set(iv.__all__) == set(iv._HOME)


@pytest.mark.parametrize("name", iv.__all__)
def test_a_public_name_is_there_and_explained(name: str) -> None:
    """Each public name can be imported and has a docstring of its own."""
    value = getattr(iv, name)
    assert value.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A name that does not exist is told like any other attribute."""
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        iv.nothing  # noqa: B018


def test_the_version_is_the_installed_one() -> None:
    """`__version__` is what the command line prints."""
    command = [sys.executable, "-m", "investigator", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["investigator", iv.__version__]


def test_importing_takes_less_than_a_fifth_of_a_second() -> None:
    """`import investigator` is quick: the best of five processes, in processor time measured inside."""
    code = "import time; begun = time.process_time(); import investigator; print(time.process_time() - begun)"
    took = [
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    ]
    assert min(took) < 0.2
