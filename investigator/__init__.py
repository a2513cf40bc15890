"""Research agents that check themselves: step, rewind, question and measure a run in a notebook.

The public names, sorted. Each is loaded when it is used first, so that importing the package is quick and brings in
neither a database nor a data frame.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from investigator.core.limits import Limits
    from investigator.core.wire import (
        Answer,
        Failure,
        Hit,
        Hits,
        Message,
        Page,
        Reply,
        Request,
        ToolCall,
        ToolSpec,
        Usage,
        WorldFacts,
    )
    from investigator.errors import (
        CorruptLog,
        InvestigatorError,
        LimitError,
        LogVersionError,
        ModelError,
        RunHeld,
        RunNotFound,
        SequenceConflict,
        StoreError,
        StoreUnavailable,
        UnknownName,
        UsageError,
    )
    from investigator.notebook.frames import (
        attempts_df,
        challenge_sources_df,
        challenges_df,
        claim_links_df,
        claim_sources_df,
        claim_transitions_df,
        claims_df,
        dependencies_df,
        events_df,
        notes_versions_df,
        pages_df,
        questions_df,
        runs_df,
        sources_df,
        states_df,
        transitions_df,
        turns_df,
    )
    from investigator.session import Investigation, investigate, open_run, runs, verify
    from investigator.session_turn import Report, Result, Section, Turn
    from investigator.store import Store
    from investigator.world.documents import Corpus
    from investigator.world.models import ScriptedModel
    from investigator.world.offline.model import OfflineModel
    from investigator.world.openai import OpenAIModel, Price
    from investigator.world.protocols import Model, Web
    from investigator.world.search import SearXNG, Wikipedia

_HOMES = {
    "core.limits": "Limits",
    "core.wire": "Answer Failure Hit Hits Message Page Reply Request ToolCall ToolSpec Usage WorldFacts",
    "errors": "CorruptLog InvestigatorError LimitError LogVersionError ModelError RunHeld RunNotFound SequenceConflict"
    " StoreError StoreUnavailable UnknownName UsageError",
    "notebook.frames": "attempts_df challenge_sources_df challenges_df claim_links_df claim_sources_df"
    " claim_transitions_df claims_df dependencies_df events_df notes_versions_df pages_df questions_df runs_df"
    " sources_df states_df transitions_df turns_df",
    "session": "Investigation investigate open_run runs verify",
    "session_turn": "Report Result Section Turn",
    "store": "Store",
    "world.documents": "Corpus",
    "world.models": "ScriptedModel",
    "world.offline.model": "OfflineModel",
    "world.openai": "OpenAIModel Price",
    "world.protocols": "Model Web",
    "world.search": "SearXNG Wikipedia",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Answer",
    "Corpus",
    "CorruptLog",
    "Failure",
    "Hit",
    "Hits",
    "Investigation",
    "InvestigatorError",
    "LimitError",
    "Limits",
    "LogVersionError",
    "Message",
    "Model",
    "ModelError",
    "OfflineModel",
    "OpenAIModel",
    "Page",
    "Price",
    "Reply",
    "Report",
    "Request",
    "Result",
    "RunHeld",
    "RunNotFound",
    "ScriptedModel",
    "SearXNG",
    "Section",
    "SequenceConflict",
    "Store",
    "StoreError",
    "StoreUnavailable",
    "ToolCall",
    "ToolSpec",
    "Turn",
    "UnknownName",
    "Usage",
    "UsageError",
    "Web",
    "Wikipedia",
    "WorldFacts",
    "attempts_df",
    "challenge_sources_df",
    "challenges_df",
    "claim_links_df",
    "claim_sources_df",
    "claim_transitions_df",
    "claims_df",
    "dependencies_df",
    "events_df",
    "investigate",
    "notes_versions_df",
    "open_run",
    "pages_df",
    "questions_df",
    "runs",
    "runs_df",
    "sources_df",
    "states_df",
    "transitions_df",
    "turns_df",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("investigator")
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
