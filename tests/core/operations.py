"""Single calls made from a stream of picks: numbers in, one call of a tool on a `Board` out.

Which operation and what it names comes from the picks alone, so that a sequence of bytes is a whole history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from boards import PAGES, Board

from investigator.core.vocab import ClaimStatus, Outcome, QuestionKind, QuestionStatus, Strategy

Picks = Iterator[int]
Operation = Callable[[Board, Picks], None]
PRIORITIES = (0, 0.3, 0.5, 0.8, 1)


def human(picks: Picks) -> bool:
    """One call in four is a person's."""
    return next(picks) % 4 == 3


def ask(board: Board, picks: Picks) -> None:
    parent, need, number = next(picks), next(picks), len(board.state.frontier.questions)
    more = {"depends_on": [board.question(need // 3)]} if need % 3 == 1 else {}
    more |= {"parent_id": board.question(parent)} if parent % 4 else {}
    priority, text = PRIORITIES[next(picks) % 5], next(picks)
    board.call(
        "add_question", human=human(picks), question=f"What is {text % 8} of {number // 2}?", priority=priority,
        kind=tuple(QuestionKind)[text // 8 % 3], rationale="it matters", validation_criteria="a page",
        blocks_parent=text // 24 % 2 == 1, **more,
    )  # fmt: skip


def rewrite(board: Board, picks: Picks) -> None:
    blocked = [each.id for each in board.state.frontier if each.status is QuestionStatus.BLOCKED]
    text, need = next(picks), next(picks)
    more = {"depends_on": [board.question(need // 3)]} if need % 3 == 1 else {}
    board.call(
        "add_question", human=human(picks), question=f"Rather {text}?", kind="query", rationale="it is blocked",
        validation_criteria="a page", priority=0.5, replaces=board.pick(blocked, text, "q_999"), **more,
    )  # fmt: skip


def resolve(board: Board, picks: Picks) -> None:
    one, cited, waived = board.question(next(picks)), board.claim(next(picks)), next(picks)
    waive = {"challenge": "no time", "hypothesis": "no time"} if waived % 4 else {}
    waive |= {"verified": "the best there is"} if waived % 8 == 1 else {}
    board.call("resolve_question", human=human(picks), id=one, answer="It is so.", claim_ids=[cited], waive=waive)


def retry(board: Board, picks: Picks) -> None:
    one, query, given = board.question(next(picks)), f"query {next(picks) % 16}", next(picks) % 2
    more = {"assumption": "it stays"} if given else {}
    board.call("retry_question", human=human(picks), id=one, new_query=query, why="nothing", **more)


def reopen(board: Board, picks: Picks) -> None:
    board.call("reopen_question", human=human(picks), id=board.question(2 * next(picks) + 1), why="news")


def prioritize(board: Board, picks: Picks) -> None:
    one, priority = board.question(next(picks)), PRIORITIES[next(picks) % 5]
    board.call("set_priority", human=human(picks), id=one, priority=priority, why="it matters")


def prune(board: Board, picks: Picks) -> None:
    board.call("prune_branch", human=human(picks), id=board.question(next(picks)), reason="idle")


def lose(board: Board, picks: Picks) -> None:
    board.lose()


def read(board: Board, picks: Picks) -> None:
    number = next(picks) % len(PAGES)
    board.call("fetch_page", human=True, url=f"https://site{number % 5}.test/{number}")


def note(board: Board, picks: Picks) -> None:
    source, how, against = board.source(next(picks)), next(picks), next(picks)
    entry = {"text": f"the tower is tall {how % 8}", "source": source, "quote": board.quote(source, next(picks))}
    entry |= {"independent": True, "why": "own survey"} if how % 2 else {"note": "as of 1960"}
    entry |= {"kind": "datapoint", "value": how % 8, "quote": ""} if how % 5 == 4 else {}
    if against % 3 == 0 and board.state.ledger.claims:
        entry |= {("contradicts", "supports")[against % 2]: [board.claim(against // 3)]}
    board.call("notes_append", section="Unverified", entries=[{k: v for k, v in entry.items() if v != ""}])


def add_source(board: Board, picks: Picks) -> None:
    claim, source = board.claim(next(picks)), board.source(next(picks))
    stance = ("supports", "supports", "contradicts")[next(picks) % 3]
    given = {"source": source, "quote": board.quote(source, next(picks)), "independent": True, "stance": stance}
    board.call("notes_update", id=claim, change={"add_source": given})


def set_status(board: Board, picks: Picks) -> None:
    claim, status = board.claim(next(picks)), next(picks)
    wanted = ClaimStatus.VERIFIED if status % 2 else tuple(ClaimStatus)[status // 2 % 4]
    board.call("notes_update", human=human(picks), id=claim, change={"status": wanted})


def revise(board: Board, picks: Picks) -> None:
    target, other = board.claim(next(picks)), next(picks)
    way = ("merged_into", "drop_source", "note", "addressed", "retract")[next(picks) % 5]
    value = {"merged_into": board.claim(other), "drop_source": board.source(other)}.get(way, "it is old")
    if way == "addressed":
        target = "><".join(board.link(other))
    elif way == "retract" and other % 2:
        target = board.source(other // 2)
    board.call("notes_update", human=human(picks), id=target, change={way: value})


def attack(board: Board, picks: Picks) -> None:
    kind, one = ("claim", "claim", "question_answer", "conclusion")[next(picks) % 4], next(picks)
    strategy = tuple(Strategy)[next(picks) % 7]
    board.call(
        "challenge", target_type=kind, claim_id=board.claim(one), question_id=board.question(one), belief="It is so.",
        strategy=strategy, negation=f"a myth {one}", expected_if_false=["a denial"],
        query=f"myth denied {strategy} {one}",
    )  # fmt: skip


def search(board: Board, picks: Picks) -> None:
    waiting = [each.query for each in board.state.open_challenges() if not each.attempt_n]
    waiting += [each.query for each in board.state.frontier.attempts.values() if not each.filled]
    board.call("web_search", query=board.pick(waiting, next(picks), "tower"))


def close(board: Board, picks: Picks) -> None:
    one = board.pick([each.id for each in board.state.open_challenges()], next(picks), "ch_999")
    outcome, counter = tuple(Outcome)[next(picks) % 4], board.claim(next(picks))
    board.call(
        "record_challenge_result", human=human(picks), id=one, outcome=outcome, evidence="a page says so",
        result_claim_id=counter, source_ids=[board.source(next(picks))],
    )  # fmt: skip


def scratch(board: Board, picks: Picks) -> None:
    texts = ("", "Conclusion: it is tall.", "Conclusion: it is low.", "a | b")
    board.call("notes_scratch", text=texts[next(picks) % 4])


GROWING = (ask, ask, rewrite, prioritize, prune)
SETTLING = (resolve, resolve, retry, reopen, lose)
NOTING = (read, read, note, note, add_source)
REVISING = (set_status, set_status, revise, add_source)
ATTACKING = (attack, attack, search, close, close, scratch)
