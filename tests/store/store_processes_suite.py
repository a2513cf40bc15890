"""What several processes may do to one store at once, on every backend."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from histories import at
from store_base import StoreCase

from investigator.core import events as log
from investigator.errors import RunHeld, SequenceConflict
from investigator.store import Store
from investigator.store.leases import this_host

APPENDER = """
import sys
from investigator.core import events as log
from investigator.core.wire import Usage
from investigator.errors import SequenceConflict
from investigator.store import Store
url, run_id, worker, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
lost = 0
with Store(url) as store:
    print("ready", flush=True); sys.stdin.readline()
    for i in range(count):
        event = log.ModelReplied(at="2026-01-01T00:00:00+00:00", worker=worker, turn=i, usage=Usage())
        while True:
            try:
                store.append(run_id, store.last_seq(run_id) + 1, event, (), "", turn=i, worker=worker)
                break
            except SequenceConflict:
                lost += 1
print(lost)
"""


def spawn(*arguments: str) -> subprocess.Popen[str]:
    """Another process of the same Python."""
    return subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


class ProcessSuite(StoreCase):
    """Leases, races and openings."""

    def test_lease_keeps_others_out_until_it_ends(self, store: Store) -> None:
        """A live process holds a run; its own renewal, its end, its death and its time each change that."""
        run_id, host = self.begin(store), this_host()
        other = spawn("-c", "import sys; sys.stdin.read()")
        try:
            store.hold(run_id, "w", host, other.pid, 60)
            with pytest.raises(RunHeld, match=f"process {other.pid} on"):
                store.hold(run_id, "w", host, os.getpid(), 60)
            store.hold(run_id, "w", host, other.pid, 120)
            store.let_go(run_id, "w", host, os.getpid())
            assert store.holder(run_id, "w").pid == other.pid  # type: ignore[union-attr]
            other.kill()
            time.sleep(0.1)  # nobody has waited for it: it is a zombie now
            assert store.holder(run_id, "w") is None
        finally:
            other.kill()
            other.communicate()
        assert store.holder(run_id, "w") is None
        assert store.holders(run_id) == ()
        store.hold(run_id, "w", host, os.getpid(), 60)
        store.hold(run_id, "v", "elsewhere", other.pid, 60)
        assert [one.worker for one in store.holders(run_id)] == ["v", "w"]
        store.hold(run_id, "v", "elsewhere", other.pid, -1)
        assert store.holder(run_id, "v") is None
        store.let_go(run_id, "w", host, os.getpid())
        assert store.holders(run_id) == ()

    def test_processes_append_at_once_and_every_event_is_there_once(self, store: Store, tmp_path: Path) -> None:
        """Three processes race for the same numbers: no lock error, no gap, nothing lost or doubled."""
        run_id, count = self.begin(store), 40
        racing = [spawn("-c", APPENDER, self.url(tmp_path), str(run_id), f"w{n}", str(count)) for n in range(3)]
        for one in racing:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        ends = [one.communicate("go\n", timeout=60) for one in racing]
        assert [one.returncode for one in racing] == [0, 0, 0], ends
        found = list(store.events(run_id, after=1))
        assert [one.seq for one in found] == list(range(2, 3 * count + 2))
        assert sorted((one.worker, one.turn) for one in found) == [(f"w{n}", i) for n in range(3) for i in range(count)]

    def test_new_store_is_opened_by_processes_at_once(self, tmp_path: Path) -> None:
        """Whoever comes first makes the tables; nobody fails."""
        code = "import sys; from investigator.store import Store; Store(sys.argv[1]).close()"
        opening = [spawn("-c", code, self.url(tmp_path)) for _ in range(4)]
        ends = [one.communicate(timeout=60) for one in opening]
        assert [one.returncode for one in opening] == [0] * 4, ends

    def test_threads_share_one_store(self, store: Store) -> None:
        """Threads of one process append through the same object: every event is there once, readers never fail."""
        run_id, count = self.begin(store), 20

        def work(name: str) -> None:
            for i in range(count):
                event = log.RunStopped(at=at(i + 1), reason=name)
                while True:
                    with contextlib.suppress(SequenceConflict):
                        store.append(run_id, store.last_seq(run_id) + 1, event, (), "", turn=i, worker=name)
                        break
                assert [one.seq for one in store.events(run_id, after=1)][:1] == [2]

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, ["a", "b", "c", "d"]))
        found = sorted((one.worker, one.turn) for one in store.events(run_id, after=1))
        assert found == [(name, i) for name in "abcd" for i in range(count)]

    def test_killed_process_leaves_a_whole_log(self, store: Store, tmp_path: Path) -> None:
        """kill -9 in the middle of appending: what is there is gapless and readable, and the next append is taken."""
        run_id = self.begin(store)
        for n in range(3):
            victim = spawn("-c", APPENDER, self.url(tmp_path), str(run_id), f"w{n}", "100000")
            assert victim.stdin is not None
            assert victim.stdout is not None
            victim.stdout.readline()
            victim.stdin.write("go\n")
            victim.stdin.flush()
            seen, until = store.last_seq(run_id), time.monotonic() + 30
            while store.last_seq(run_id) < seen + 5 and time.monotonic() < until:
                time.sleep(0.003)
            victim.kill()
            victim.communicate()
            last = store.last_seq(run_id)
            assert last >= seen + 5
            assert [one.seq for one in store.events(run_id)] == list(range(1, last + 1))
            store.append(run_id, last + 1, log.RunStopped(at=at(1)), (), "", turn=0, worker="")
