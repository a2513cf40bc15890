"""What the suites of the store share: how a store is opened, filled and looked at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from histories import Step, started

from investigator.core import effects as fx
from investigator.store import Store
from investigator.store.tables import metadata


class StoreCase:
    """A backend says with `url` how its stores are opened."""

    def url(self, tmp_path: Path) -> str:
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with Store(self.url(tmp_path)) as store:
            yield store

    def begin(self, store: Store, first: Step | None = None) -> int:
        first = first or started()
        return store.create(first.event, first.effects, first.chain)

    def write(self, store: Store, steps: list[Step]) -> int:
        run_id = self.begin(store, steps[0])
        for seq, one in enumerate(steps[1:], 2):
            store.append(run_id, seq, one.event, one.effects, one.chain, turn=seq, worker="w")
        return run_id

    def snapshot(self, store: Store, run_id: int) -> dict[str, list[str]]:
        """Every row of a run, as text."""
        found = {}
        with store._reading() as connection:
            for name, table in metadata.tables.items():
                if name != "gb_agent_migrations":
                    own = table.c.id if name == fx.RUNS else table.c.run_id
                    found[name] = sorted(map(str, connection.execute(table.select().where(own == run_id))))
        return found
