"""How well the offline reader reads: ``python tests/world/offline_eval.py ramdocs_dev.jsonl``.

A plain use of `answers` on records ``{question, documents: [{text, type, answer}], gold_answers, wrong_answers}``:

* gold_covered@k: share of gold answers that stand in one of the first k quotes (at most 40 words each);
* asserted: two documents support the top finding and no rival has half its weight (`agreed`), or the same with the two
  being independent texts (`settled`); gold and wrong are shares of all records, precision is gold / asserted;
* foreign: share of records that are answered from another record's documents (silence is right).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from investigator.core.text import fold, value_in
from investigator.world.offline.reading import Finding, PageText, answers, quotes

QUOTES = (3, 5, 8)


@dataclass
class Asserted:
    """Counts of assertions under one rule."""

    all: int = 0
    gold: int = 0
    wrong: int = 0

    def add(self, finding: Finding, record: dict) -> None:
        right, wrong = names_it(finding, record["gold_answers"]), names_it(finding, record["wrong_answers"])
        self.all, self.gold, self.wrong = self.all + 1, self.gold + right, self.wrong + (wrong and not right)

    def line(self, records: int) -> str:
        gold, wrong = 100 * self.gold / records, 100 * self.wrong / records
        return f"gold {gold:.1f} wrong {wrong:.1f} precision {100 * self.gold / max(1, self.all):.1f} %"


@dataclass
class Tally:
    """Counts over a set of records."""

    records: int = 0
    golds: int = 0
    covered: dict[int, int] = field(default_factory=lambda: dict.fromkeys(QUOTES, 0))
    agreed: Asserted = field(default_factory=Asserted)
    settled: Asserted = field(default_factory=Asserted)
    foreign: int = 0

    def line(self, name: str) -> str:
        cover = " / ".join(f"{100 * self.covered[k] / max(1, self.golds):.1f}" for k in QUOTES)
        agreed, settled = self.agreed.line(self.records), self.settled.line(self.records)
        foreign = 100 * self.foreign / self.records
        return f"{name}: covered {cover} % | agreed: {agreed} | settled: {settled} | foreign {foreign:.1f} %"


def pages_of(record: dict) -> list[PageText]:
    return [PageText(key=f"d{n}", domain=f"d{n}.test", text=one["text"]) for n, one in enumerate(record["documents"])]


def matches(answer: str, text: str) -> bool:
    return value_in(answer, text) or f" {fold(answer)} " in f" {fold(text)} "


def names_it(finding: Finding, truths: Sequence[str]) -> bool:
    """Whether the asserted value is one of these answers, either way less exact."""
    said = [one.value.text if one.value else one.quote for one in finding.supports]
    return any(matches(truth, text) or matches(text, truth) for truth in truths for text in said)


def measure(records: Sequence[dict], verbose: bool = False) -> Tally:
    tally = Tally()
    for number, record in enumerate(records):
        tally.records += 1
        found = answers(record["question"], pages_of(record), least=0.0)
        loose = [one.quote for one in quotes(found, max(QUOTES))]
        for gold in record["gold_answers"]:
            tally.golds += 1
            at = next((place for place, text in enumerate(loose) if matches(gold, text)), 99)
            for k in QUOTES:
                tally.covered[k] += at < k
            if verbose and at >= 8:
                print("missed", number, record["question"], "|", gold)
        found = answers(record["question"], pages_of(record))
        if found and found[0].agreed:
            tally.agreed.add(found[0], record)
        if found and found[0].settled:
            tally.settled.add(found[0], record)
            if verbose and not names_it(found[0], record["gold_answers"]):
                print("not gold", number, record["question"], "|", found[0].text, record["gold_answers"])
        other = records[(number + 1) % len(records)]
        tally.foreign += bool(answers(record["question"], pages_of(other)))
    return tally


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("--verbose", action="store_true", help="name the misses of the first half")
    options = parser.parse_args()
    with options.path.open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    half = len(records) // 2
    print(measure(records[:half], options.verbose).line("tuned on"))
    print(measure(records[half:]).line("unseen"))


if __name__ == "__main__":
    main()
