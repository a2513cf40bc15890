"""Leases: which process works on a run. They lie outside the log, so taking one is no part of the run's history.

A lease ends at its time, when it is let go, or at once when its process on this host is gone.
"""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from investigator.errors import RunHeld
from investigator.store import dialects
from investigator.store.tables import workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who works on a run, until when (UTC)."""

    run_id: int
    worker: str
    host: str
    pid: int
    expires_at: datetime

    def of(self, host: str, pid: int) -> bool:
        return (self.host, self.pid) == (host, pid)

    @property
    def live(self) -> bool:
        """Neither run out, nor of a process that is known to be dead."""
        return self.expires_at > datetime.now(UTC) and not (self.host == this_host() and not runs(self.pid))


def this_host() -> str:
    """The name of this machine in leases."""
    return platform.node() or "localhost"


def runs(pid: int) -> bool:
    """Whether a process of this host runs. A zombie does not. In doubt it does, and the lease's time decides."""
    if os.name != "posix":  # elsewhere signal 0 is no question but an order
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return not _zombie(pid)


def _zombie(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] == ["Z"]


def hold(connection: Connection, insert: Any, lease: Lease) -> None:
    """Take a lease or renew it; `RunHeld` while a live process has it."""
    held = of_worker(connection, lease.run_id, lease.worker)
    if held is not None and held.live and not held.of(lease.host, lease.pid):
        raise RunHeld(
            f"run {lease.run_id} is being worked on by process {held.pid} on {held.host}"
            f" until {held.expires_at:%Y-%m-%d %H:%M:%S} UTC; pause it there, or wait"
        )
    row = {one: getattr(lease, one) for one in ("run_id", "worker", "host", "pid", "expires_at")}
    connection.execute(dialects.put(insert, workers, ("run_id", "worker"), {}), row)


def until(seconds: float) -> datetime:
    """The moment that many seconds from now."""
    return datetime.now(UTC) + timedelta(seconds=seconds)


def of_worker(connection: Connection, run_id: int, worker: str) -> Lease | None:
    """The lease of a worker, live or not."""
    query = select(workers).where(workers.c.run_id == run_id, workers.c.worker == worker)
    row = connection.execute(query).mappings().first()
    return Lease(**row) if row is not None else None


def of_run(connection: Connection, run_id: int) -> tuple[Lease, ...]:
    """All leases of a run, live or not, by worker."""
    query = select(workers).where(workers.c.run_id == run_id).order_by(workers.c.worker)
    return tuple(Lease(**row) for row in connection.execute(query).mappings())


def let_go(connection: Connection, run_id: int, worker: str, host: str, pid: int) -> None:
    """Give a lease back. That of another process stays."""
    own = (workers.c.run_id == run_id, workers.c.worker == worker, workers.c.host == host, workers.c.pid == pid)
    connection.execute(workers.delete().where(*own))
