"""The tables of runs as typed DataFrames. One function per table; each reads its table once a run.

Knows rows and columns. Must not know how a run is driven. A frame of nothing has the same columns and types.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol, TypeAlias

import pandas as pd

from investigator.errors import CorruptLog, UsageError
from investigator.notebook.columns import FRAMES, Column
from investigator.notebook.derived import ROWS


class Reader(Protocol):
    """Whatever can give the rows of a table: a run, or a run as it stood at a turn."""

    run_id: int

    def rows(self, table: str) -> list[dict[str, Any]]: ...


Runs: TypeAlias = Any
"""A run, several of them, a `Store`, or the path or url of one."""


def frame(name: str, runs: Runs) -> pd.DataFrame:
    """The frame of that name for a run, several runs or a store."""
    spec = FRAMES[name]
    rows_of: Callable[[Reader], Iterable[Mapping[str, Any]]] = ROWS.get(name, lambda reader: reader.rows(spec.table))
    found: list[Mapping[str, Any]] = []
    with _readers(runs) as readers:
        for reader in readers:
            try:
                found.extend(rows_of(reader))
            except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
                raise CorruptLog(f"what the store holds of run {reader.run_id} cannot be read: {error}") from error
    try:
        arrays = {one.name: _array(one, [row[one.stored or one.name] for row in found]) for one in spec.columns}
    except (OverflowError, TypeError, ValueError) as error:  # SQLite's columns take anything, so does a damaged file
        raise CorruptLog(f"the store holds {name} that cannot be shown as a frame: {error}") from error
    return pd.DataFrame(arrays)


class _Stored:
    """A run of a store that nobody has opened."""

    def __init__(self, store: Any, run_id: int, row: dict[str, Any]) -> None:
        self.store, self.run_id, self._row = store, run_id, row

    def rows(self, table: str) -> list[dict[str, Any]]:
        if table == FRAMES["runs"].table:
            return [self._row]
        found: list[dict[str, Any]] = self.store.rows(self.run_id, table)
        return found


@contextlib.contextmanager
def _readers(runs: Runs) -> Iterator[list[Reader]]:
    if callable(getattr(runs, "rows", None)) and hasattr(runs, "run_id"):
        yield [runs]
    elif callable(getattr(runs, "runs", None)):
        yield [_Stored(runs, row["id"], row) for row in runs.runs()]
    elif runs is None or isinstance(runs, str | os.PathLike):
        from investigator.session_opening import open_store

        with open_store(runs, must_exist=True) as store:
            yield [_Stored(store, row["id"], row) for row in store.runs()]
    elif isinstance(runs, Iterable):
        with contextlib.ExitStack() as stack:
            yield [one for each in runs for one in stack.enter_context(_readers(each))]
    else:
        kind = type(runs).__name__
        raise UsageError(f"a frame is made of a run, a list of runs, a store or the path of one, not of a {kind}")


# Text may hold lone surrogates, which arrow strings refuse; Python strings hold everything.
_STRING = pd.StringDtype("python")


def _array(column: Column, values: list[Any]) -> Any:
    return _ARRAYS[column.kind](values, column)


def _category(values: list[Any], column: Column) -> Any:
    found = [one or None for one in values]
    foreign = dict.fromkeys(str(one) for one in found if one is not None and one not in column.words)
    # A store of a newer version may hold words that this one does not know: they are shown, not lost.
    return pd.Categorical(found, categories=[*column.words, *foreign])


def _times(values: list[Any], column: Column) -> Any:
    return pd.Series(pd.to_datetime(pd.Series(values, dtype="object"), utc=True, format="ISO8601")).astype(
        "datetime64[us, UTC]"
    )


_ARRAYS: Mapping[str, Callable[[list[Any], Column], Any]] = {
    "s": lambda values, _: pd.array(values, dtype=_STRING),
    "j": lambda values, _: pd.array(values, dtype=_STRING),
    "k": lambda values, _: pd.array([None if one == "" else one for one in values], dtype=_STRING),
    "i": lambda values, _: pd.array(values, dtype="Int64"),
    "f": lambda values, _: pd.array(values, dtype="Float64"),
    "b": lambda values, _: pd.array([None if one is None else bool(one) for one in values], dtype="boolean"),
    "t": _times,
    "c": _category,
}


def runs_df(runs: Runs = None) -> pd.DataFrame:
    """Runs: what was asked, how far each is, what it cost, its report."""
    return frame("runs", runs)


def questions_df(runs: Runs) -> pd.DataFrame:
    """The frontier: the questions of each run, a tree below its objective."""
    return frame("questions", runs)


def dependencies_df(runs: Runs) -> pd.DataFrame:
    """Which question needs which."""
    return frame("dependencies", runs)


def attempts_df(runs: Runs) -> pd.DataFrame:
    """Every outside call and every accepted retry."""
    return frame("attempts", runs)


def transitions_df(runs: Runs) -> pd.DataFrame:
    """History of the questions, one row a change."""
    return frame("transitions", runs)


def claims_df(runs: Runs) -> pd.DataFrame:
    """Claims and datapoints, with the pages and origins that carry them."""
    return frame("claims", runs)


def claim_transitions_df(runs: Runs) -> pd.DataFrame:
    """History of the claims, one row a change of status."""
    return frame("claim_transitions", runs)


def claim_links_df(runs: Runs) -> pd.DataFrame:
    """One claim for or against another."""
    return frame("claim_links", runs)


def claim_sources_df(runs: Runs) -> pd.DataFrame:
    """What a source says of a claim, with its quote."""
    return frame("claim_sources", runs)


def sources_df(runs: Runs) -> pd.DataFrame:
    """Places that were read, one per canonical url."""
    return frame("sources", runs)


def challenges_df(runs: Runs) -> pd.DataFrame:
    """How the agent attacked what it believed, and what came of it."""
    return frame("challenges", runs)


def challenge_sources_df(runs: Runs) -> pd.DataFrame:
    """Sources that the outcome of a challenge rests on."""
    return frame("challenge_sources", runs)


def notes_versions_df(runs: Runs) -> pd.DataFrame:
    """History of the notes: the whole text after each write."""
    return frame("notes_versions", runs)


def states_df(runs: Runs) -> pd.DataFrame:
    """What each run was doing, one row a turn and one a challenge."""
    return frame("states", runs)


def turns_df(runs: Runs) -> pd.DataFrame:
    """Every turn that was opened: its prompt by section, what it cost, how it ended."""
    return frame("turns", runs)


def events_df(runs: Runs) -> pd.DataFrame:
    """The log."""
    return frame("events", runs)


def pages_df(runs: Runs) -> pd.DataFrame:
    """Texts of the pages that were read."""
    return frame("pages", runs)
