"""The closed vocabularies, as `StrEnum`s. The tables' CHECKs, the tools' schemas and the frames are made from these."""

from __future__ import annotations

from enum import StrEnum


class QuestionStatus(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    RESOLVED = "resolved"
    BLOCKED = "blocked"
    UNRESOLVABLE = "unresolvable"
    PRUNED = "pruned"


class QuestionKind(StrEnum):
    QUERY = "query"
    HYPOTHESIS = "hypothesis"
    GAP = "gap"


class Trigger(StrEnum):
    CREATED = "created"
    SELECTED = "selected"
    DEPENDENCY_ADDED = "dependency_added"
    RETRY = "retry"
    RESOLVED = "resolved"
    EXHAUSTED = "exhausted"
    REOPENED = "reopened"
    BLOCKED = "blocked"
    UNBLOCKED = "unblocked"
    PRUNED = "pruned"
    REPRIORITIZED = "reprioritized"
    RELEASED = "released"


class Actor(StrEnum):
    AGENT = "agent"
    CODE = "code"
    HUMAN = "human"


class ClaimStatus(StrEnum):
    UNVERIFIED = "UNVERIFIED"
    VERIFIED = "VERIFIED"
    REFUTED = "REFUTED"
    RETRACTED = "RETRACTED"


class ClaimKind(StrEnum):
    CLAIM = "claim"
    DATAPOINT = "datapoint"


class Stance(StrEnum):
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"


class LinkStatus(StrEnum):
    OPEN = "open"
    ADDRESSED = "addressed"


class TargetType(StrEnum):
    CLAIM = "claim"
    QUESTION_ANSWER = "question_answer"
    CONCLUSION = "conclusion"


class ChallengeStatus(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Outcome(StrEnum):
    SURVIVED = "survived"
    WEAKENED = "weakened"
    REFUTED = "refuted"
    INCONCLUSIVE = "inconclusive"


class Strategy(StrEnum):
    DIRECT_NEGATION = "direct_negation"
    COUNTEREXAMPLE = "counterexample"
    ALTERNATIVE_EXPLANATION = "alternative_explanation"
    NEWER_EVIDENCE = "newer_evidence"
    SCOPE_LIMITS = "scope_limits"
    SOURCE_CRITIQUE = "source_critique"
    INDEPENDENT_ORIGIN = "independent_origin"


class AttemptKind(StrEnum):
    SEARCH = "search"
    FETCH = "fetch"
    QUERY = "query"
    CHALLENGE = "challenge"
    RETRY = "retry"


class RunStatus(StrEnum):
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"


class Phase(StrEnum):
    EXPLORATION = "exploration"
    SYNTHESIS = "synthesis"


class Loop(StrEnum):
    SIMPLE = "simple"
    INVESTIGATIVE = "investigative"


class TurnKind(StrEnum):
    """What a turn is for; it decides the tools that may be called in it."""

    PLANNING = "planning"
    RESEARCHING = "researching"
    EXTRACTION = "extraction"
    CONSOLIDATION = "consolidation"
    VERIFYING = "verifying"
    CLOSING = "closing"
    SYNTHESIZING = "synthesizing"
    LAST = "last"


class RunState(StrEnum):
    PLANNING = "planning"
    SELECTING = "selecting"
    RESEARCHING = "researching"
    EXTRACTING = "extracting"
    VERIFYING = "verifying"
    CHALLENGING = "challenging"
    CONSOLIDATING = "consolidating"
    CLOSING = "closing"
    SYNTHESIZING = "synthesizing"


class StopReason(StrEnum):
    NONE = ""
    FINALIZED = "finalized"
    FRONTIER_EXHAUSTED = "frontier_exhausted"
    ITERATIONS = "breaker:iterations"
    TOKENS = "breaker:tokens"
    COST = "breaker:cost"
    STALLED = "breaker:stalled"
    SEARCH = "breaker:search"
    STEPS = "breaker:steps"


class NotesReason(StrEnum):
    APPEND = "notes_append"
    UPDATE = "notes_update"
    SCRATCH = "notes_scratch"
    CONSOLIDATION = "consolidation"
    RESTORE = "restore"
