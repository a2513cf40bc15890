"""RAMDocs: ambiguous questions over documents of which some are false, by the loops of this package.

The data set (HanNight/RAMDocs, MIT, (c) 2025 Han Wang) is not part of the package; give its JSONL file::

    python -m investigator.evals.ramdocs ramdocs_dev.jsonl --loops simple,investigative --limit 20

Each document of a record becomes a page on a domain of its own. The labels of the documents are used for nothing; gold
and wrong answers are used for scoring only.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from investigator.core.text import fold
from investigator.core.wire import Answer, Failure, Hit, Hits, Page, WorldFacts
from investigator.session import investigate
from investigator.world.synthetic.ranking import Ranking

_HEADING = re.compile(r"^#{1,6} +(.*)$")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“'(\[*-])|\n+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A question with the texts to answer it from."""

    question: str
    texts: tuple[str, ...]
    gold: tuple[str, ...]
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One run against its record. ``covered``: gold answers that stand anywhere in the report's body."""

    wrong_asserted: bool
    gold_asserted: bool
    asserted: bool
    covered: int
    gold: int
    tokens: int
    turns: int
    seconds: float


class Documents:
    """The documents of one record as a web; every one has a domain of its own."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._pages = {
            f"https://doc-{n}.example/": Page(
                url=f"https://doc-{n}.example/",
                canonical_url=f"https://doc-{n}.example/",
                domain=f"doc-{n}.example",
                text=text,
                unit="paragraph",
            )
            for n, text in enumerate(texts, 1)
        }
        self._ranking = Ranking(("", text) for text in texts)

    @property
    def name(self) -> str:
        return "ramdocs"

    def facts(self) -> WorldFacts:
        return WorldFacts(name=self.name, pages=len(self._pages), domains=len(self._pages))

    def search(self, query: str, limit: int) -> Hits | Failure:
        pages = tuple(self._pages.values())
        best = (pages[n] for n in self._ranking.best(query, limit))
        return Hits(hits=tuple(Hit(url=one.url, domain=one.domain, snippet=one.text[:240]) for one in best))

    def fetch(self, url: str) -> Page | Failure:
        return self._pages.get(url) or Failure(kind="not_found", message="There is no page at that address.")

    def query(self, text: str) -> Answer | Failure:
        return Failure(kind="unavailable", message="There is no knowledge source.")


def read(path: Path, limit: int | None = None) -> tuple[Record, ...]:
    """The records of a RAMDocs JSONL file."""
    lines = path.read_text(encoding="utf-8").splitlines()[:limit]
    return tuple(_record(json.loads(line)) for line in lines if line.strip())


def _record(data: Mapping[str, Any]) -> Record:
    gold = tuple(map(str, data["gold_answers"]))
    same = {fold(one) for one in gold}
    return Record(
        question=str(data["question"]),
        texts=tuple(str(one["text"]) for one in data["documents"]),
        gold=gold,
        wrong=tuple(one for one in map(str, data["wrong_answers"]) if fold(one) not in same),
    )


def assertions(report: str) -> tuple[str, ...]:
    """The sentences of Summary and Details that the report states without a flag.

    >>> assertions("## Summary\\n\\nIt is red [c_001]. It may be blue [c_002] (unverified).\\n\\n## Gaps\\n\\nNo.")
    ('It is red [c_001].',)
    """
    counted, found = True, []
    for line in report.splitlines():
        heading = _HEADING.match(line)
        if heading:
            counted = fold(heading.group(1)) not in ("contradictions", "gaps and assumptions", "sources", "notices")
        elif counted:
            found += [one.strip() for one in _SENTENCE.split(line) if one.strip()]
    flagged = ("unverified", "unsupported", "no evidence found")
    return tuple(one for one in found if not any(word in one.lower() for word in flagged))


def holds(answer: str, text: str) -> bool:
    """Whether the answer stands in the text as whole words, after folding."""
    return bool(fold(answer)) and f" {fold(answer)} " in f" {fold(text)} "


def score(record: Record, body: str, *, tokens: int, turns: int, seconds: float) -> Score:
    """What a report's body is worth."""
    said = " \n ".join(assertions(body))
    gold_said = any(holds(one, said) for one in record.gold)
    wrong_said = any(holds(one, said) for one in record.wrong)
    return Score(
        wrong_asserted=wrong_said,
        gold_asserted=gold_said,
        asserted=bool(said.strip()),
        covered=sum(holds(one, body) for one in record.gold),
        gold=len(record.gold),
        tokens=tokens,
        turns=turns,
        seconds=seconds,
    )


def run(record: Record, loop: str, store: Path) -> Score:
    """One record through one loop with the offline model."""
    began = time.perf_counter()
    with investigate(record.question, loop=loop, web=Documents(record.texts), store=store) as inv:
        inv.run(progress=False)
        state = inv.state
        return score(
            record,
            state.model_report,
            tokens=state.budget.tokens,
            turns=state.turn,
            seconds=time.perf_counter() - began,
        )


def summary(scores: Sequence[Score]) -> dict[str, float | int]:
    """Rates over all questions; precision is gold among the runs that asserted a listed answer, right or wrong."""
    n = len(scores)
    gold, wrong = sum(one.gold_asserted for one in scores), sum(one.wrong_asserted for one in scores)
    listed = sum(one.gold_asserted or one.wrong_asserted for one in scores)
    return {
        "n": n,
        "wrong_asserted": round(wrong / n, 4),
        "gold_asserted": round(gold / n, 4),
        "precision": round(sum(one.gold_asserted and not one.wrong_asserted for one in scores) / listed, 4)
        if listed
        else 0.0,
        "gold_answers_in_report": round(sum(one.covered for one in scores) / sum(one.gold for one in scores), 4),
        "tokens": round(sum(one.tokens for one in scores) / n),
        "turns": round(sum(one.turns for one in scores) / n, 1),
        "seconds": round(sum(one.seconds for one in scores) / n, 2),
    }


def main(argv: Iterable[str] | None = None) -> int:
    """Print one JSON object: the rates of each loop."""
    parser = argparse.ArgumentParser(
        prog="python -m investigator.evals.ramdocs", description="RAMDocs by loop, offline model"
    )
    parser.add_argument("path", type=Path)
    parser.add_argument("--loops", default="simple,investigative")
    parser.add_argument("--limit", type=int, default=None)
    asked = parser.parse_args(None if argv is None else list(argv))
    records = read(asked.path, asked.limit)
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for loop in asked.loops.split(","):
            results[loop] = summary(
                [_counted(record, loop, Path(folder), n, len(records)) for n, record in enumerate(records, 1)]
            )
    print(json.dumps({"dataset": "ramdocs", "n": len(records), "model": "offline", "loops": results}, indent=2))
    return 0


def _counted(record: Record, loop: str, folder: Path, number: int, total: int) -> Score:
    if sys.stderr.isatty():
        print(f"\r{loop} {number}/{total} ", end="", file=sys.stderr)
    return run(record, loop, folder / f"{loop}.db")


if __name__ == "__main__":
    sys.exit(main())
