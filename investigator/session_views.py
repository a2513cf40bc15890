"""The one door from a run to the notebook room: its tables as DataFrames, its report as HTML.

Imports `investigator.notebook` inside functions only, so that pandas is loaded when a frame is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def markdown_html(markdown: str) -> str:
    """The Markdown that reports are written in as HTML, every word of it escaped."""
    from investigator.notebook import html

    return html.render(markdown)


def runs_frame(store: object) -> pd.DataFrame:
    """The runs of a store."""
    from investigator.notebook import frames

    return frames.runs_df(store)


class Frames:
    """One property per table; each is a fresh DataFrame with the columns of `investigator.notebook.columns`."""

    run_id: int

    def rows(self, table: str) -> list[dict[str, Any]]:
        """The rows of a table of this run."""
        raise NotImplementedError

    def _frame(self, name: str) -> pd.DataFrame:
        from investigator.notebook import frames

        return frames.frame(name, self)

    @property
    def questions(self) -> pd.DataFrame:
        return self._frame("questions")

    @property
    def dependencies(self) -> pd.DataFrame:
        return self._frame("dependencies")

    @property
    def attempts(self) -> pd.DataFrame:
        return self._frame("attempts")

    @property
    def transitions(self) -> pd.DataFrame:
        return self._frame("transitions")

    @property
    def claims(self) -> pd.DataFrame:
        return self._frame("claims")

    @property
    def claim_transitions(self) -> pd.DataFrame:
        return self._frame("claim_transitions")

    @property
    def claim_links(self) -> pd.DataFrame:
        return self._frame("claim_links")

    @property
    def claim_sources(self) -> pd.DataFrame:
        return self._frame("claim_sources")

    @property
    def sources(self) -> pd.DataFrame:
        return self._frame("sources")

    @property
    def challenges(self) -> pd.DataFrame:
        return self._frame("challenges")

    @property
    def challenge_sources(self) -> pd.DataFrame:
        return self._frame("challenge_sources")

    @property
    def notes_versions(self) -> pd.DataFrame:
        return self._frame("notes_versions")

    @property
    def states(self) -> pd.DataFrame:
        return self._frame("states")

    @property
    def turns(self) -> pd.DataFrame:
        return self._frame("turns")

    @property
    def events(self) -> pd.DataFrame:
        return self._frame("events")

    @property
    def pages(self) -> pd.DataFrame:
        return self._frame("pages")
