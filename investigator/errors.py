"""The error tree. Knows nothing of the rest of the package.

    InvestigatorError
    ├── UsageError (ValueError)        what a person asked for cannot be done; the sentence says what to do
    │   ├── LimitError                 a limit out of range; names the field and the range
    │   ├── UnknownName                a loop, model, web, tool or format that does not exist
    │   ├── RunNotFound (LookupError)  no run of that id in this store
    │   ├── RunHeld                    a live process works on the run
    │   └── LogVersionError            a log that this version can read only as tables
    ├── StoreError (OSError)           the database or its disk failed; the run stays resumable
    │   ├── StoreUnavailable           it cannot be opened at all
    │   └── SequenceConflict           another worker appended first; the caller decides anew
    ├── ModelError                     a model call failed for good; carries a closed `kind`
    └── CorruptLog                     the log and what is derived from it disagree; names the first event

What the outside world answers badly (a page that is gone, a search that fails) is never an exception: it is a
`wire.Failure`, an outcome like any other. A move that the rules do not allow is a `Refusal`, a value too.
"""

from __future__ import annotations


class InvestigatorError(Exception):
    """Root of every error that this package raises on purpose."""


class UsageError(InvestigatorError, ValueError):
    """A request that cannot be carried out as asked; its text says what to do instead."""


class LimitError(UsageError):
    """A limit is out of range."""


class UnknownName(UsageError):
    """A name that is not one of a closed list."""


class RunNotFound(UsageError, LookupError):
    """The store holds no run of this id."""


class RunHeld(UsageError):
    """Another live process works on this run."""


class LogVersionError(UsageError):
    """The log was written by a version whose events this one cannot re-apply."""


class StoreError(InvestigatorError, OSError):
    """The database, or the disk below it, failed."""


class StoreUnavailable(StoreError):
    """The database cannot be opened."""


class SequenceConflict(StoreError):
    """An append named a sequence number that another worker has taken."""


class ModelError(InvestigatorError):
    """A model call failed after every retry.

    Attributes:
        kind: one of ``context_length``, ``authentication``, ``rate_limit``, ``timeout``, ``connection``,
            ``bad_request``, ``bad_response``, ``unavailable``.
        tries: how many requests were sent.
    """

    def __init__(self, kind: str, message: str, tries: int = 1) -> None:
        super().__init__(message)
        self.kind = kind
        self.tries = tries


class CorruptLog(InvestigatorError):
    """A fold of the log differs from what was stored beside it."""
