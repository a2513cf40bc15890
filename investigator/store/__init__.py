"""The database room: tables, migrations, append and load, and the notes file beside them.

Only `session` enters. It knows the values of core, and neither loops nor tools nor the world. Names are loaded when
they are used, so that importing the package does not import SQLAlchemy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from investigator.store.database import Entry, Store, StoredEvent
    from investigator.store.leases import Lease
    from investigator.store.notes_files import NotesFile

_HOMES = {
    "Entry": "database",
    "Lease": "leases",
    "NotesFile": "notes_files",
    "Store": "database",
    "StoredEvent": "database",
}
__all__ = ["Entry", "Lease", "NotesFile", "Store", "StoredEvent"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
