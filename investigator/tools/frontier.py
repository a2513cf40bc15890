"""The frontier tools: what the model may do to questions. The rules are `core.frontier_moves`; here: who may, when."""

from __future__ import annotations

from typing import Any

from investigator.core import frontier_moves as moves
from investigator.core.blocks import one_line, shield
from investigator.core.challenges import Challenge, on_target, requires_answer_challenge
from investigator.core.frontier import Question
from investigator.core.ids import ROOT
from investigator.core.notes import SCRATCH_MAX
from investigator.core.refusal import Refusal
from investigator.core.state import ATOMIC, State, moved, noted, progressed
from investigator.core.summary import frontier_summary
from investigator.core.text import fold
from investigator.core.values import replace
from investigator.core.vocab import (
    Actor,
    AttemptKind,
    ClaimStatus,
    NotesReason,
    Outcome,
    QuestionKind,
    QuestionStatus,
    TargetType,
    TurnKind,
)
from investigator.tools.moves import Args, Caller, Done, claim_of, held_by_other, refuse_beside_pages

MOST_CHILDREN = 8  # of the root while planning, which ends there at the latest


def frontier_next(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """End planning; afterwards selection is settle's."""
    if state.planned:
        return Refusal(
            kind="selected_by_code",
            text=f"questions are selected by code; the current one is {caller.question or ROOT}.",
            instead="Work on it, then resolve_question or retry_question.",
        )
    reason = str(args.get("atomic_reason", "")).strip()
    if not state.frontier.children.get(ROOT) and not reason and ATOMIC not in state.scratch:
        return Refusal(
            kind="plan_first",
            text="the objective has no sub-question yet.",
            instead="Add questions with add_question, or give atomic_reason.",
        )
    if reason and not state.frontier.children.get(ROOT):
        scratch = f"{state.scratch}\n{ATOMIC} {one_line(reason, 600)}".strip()
        if len(scratch) > SCRATCH_MAX:
            return Refusal(
                kind="too_long",
                text=f"with the reason Scratch would have {len(scratch)} characters, at most {SCRATCH_MAX} are kept.",
                instead="Shorten it with notes_scratch first.",
            )
        state = noted(replace(state, scratch=scratch), NotesReason.SCRATCH)
    state = replace(state, planned=True)
    return Done(state=state, text=f"planning ended with {len(state.frontier.children.get(ROOT, ()))} sub-questions")


def frontier_view(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """One question in full, those of a status, or the summary; never the whole frontier."""
    if args.get("question_id"):
        question = state.frontier.questions.get(args["question_id"])
        return Done(state=state, text=_in_full(state, question)) if question else moves.unknown(args["question_id"])
    if args.get("status"):
        rows = [one for one in state.frontier if one.status == args["status"]]
        lines = [f"{one.id} p={one.priority:.2f} {shield(one_line(one.question))}" for one in rows[:20]]
        more = [f"(+{len(rows) - 20} more)"] if len(rows) > 20 else []
        return Done(state=state, text="\n".join([*lines, *more]) or f"no question is {args['status']}")
    summary = frontier_summary(state.frontier, state.challenges, state.limits, caller.question)
    return Done(state=state, text=summary)


def _in_full(state: State, question: Question) -> str:
    frontier = state.frontier
    lines = [
        f"{question.id} [{question.kind}] {question.status} p={question.priority:.2f} depth {question.depth}",
        f"question: {question.question}",
        f"why: {question.rationale}",
        f"criteria: {question.validation_criteria}",
    ]
    lines += [f"answer: {question.answer} [{', '.join(question.answer_claim_ids)}]"] if question.answer else []
    lines += [f"assumption: {question.assumption}"] if question.assumption else []
    lines += [f"needs: {', '.join(frontier.needs[question.id])}"] if frontier.needs.get(question.id) else []
    lines += [f"tried: {one.tool} {one.query!r} -> {one.outcome}" for one in frontier.attempts_of(question.id)[-10:]]
    return shield("\n".join(one_line(line, 600) for line in lines if line))


def add_question(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Add a child of the current question (of the root while planning), or rewrite a blocked one."""
    if caller.kind is TurnKind.PLANNING and len(state.frontier.children.get(ROOT, ())) >= MOST_CHILDREN:
        return Refusal(
            kind="planned",
            text=f"the plan has {MOST_CHILDREN} sub-questions, the most there can be.",
            instead="Call frontier_next; what comes up later can be added under the question that raises it.",
        )
    old_id = args.get("replaces", "")
    if old_id:
        refused = refuse_beside_pages(state, caller, old_id) or _refuse_rewrite(state, old_id, args)
        if refused is not None:
            return refused
    refused = _refuse_side_effects(state, caller, args)
    if refused is not None:
        return refused
    default = state.frontier.questions[old_id].parent_id if old_id else caller.question or ROOT
    added = moves.add(
        state.frontier,
        parent_id=args.get("parent_id") or default,
        text=args["question"].strip(),
        kind=QuestionKind(args["kind"]),
        rationale=args["rationale"],
        criteria=args["validation_criteria"],
        priority=float(args["priority"]),
        target_sources=tuple(args.get("target_sources", ())),
        depends_on=tuple(args.get("depends_on", ())),
        blocks_parent=bool(args.get("blocks_parent", False)),
        actor=caller.actor,
        limits=state.limits,
        at=state.at,
    )
    if isinstance(added, Refusal):
        return added
    frontier, question, transitions = added
    if old_id:
        frontier, more = moves.rewrite(frontier, old_id, question.id, actor=caller.actor, at=state.at)
        transitions += more
    state = moved(state, frontier, transitions)
    if not state.planned:
        state = progressed(state)
    notes = f"; {old_id} is pruned, rewritten as {question.id}" if old_id else ""
    notes += "; what waits on it was put back" if any(one.trigger == "dependency_added" for one in transitions) else ""
    return Done(
        state=state,
        text=f"added {question.id} under {question.parent_id}, depth {question.depth}, "
        f"p={question.priority:.2f}{notes}",
    )


def _refuse_side_effects(state: State, caller: Caller, args: Args) -> Refusal | None:
    """A new question changes others too: those it depends on are raised to its priority, a parent it blocks waits."""
    raised = [
        one
        for one in args.get("depends_on", ())
        if one in state.frontier.questions and state.frontier.questions[one].priority < float(args["priority"])
    ]
    blocked = [args["parent_id"]] if args.get("blocks_parent") and args.get("parent_id") else []
    refusals = (refuse_beside_pages(state, caller, one) for one in (*raised, *blocked))
    return next((one for one in refusals if one is not None), None)


def _refuse_rewrite(state: State, old_id: str, args: Args) -> Refusal | None:
    old = state.frontier.questions.get(old_id)
    if old is None:
        return moves.unknown(old_id)
    if old.status is not QuestionStatus.BLOCKED:
        return Refusal(
            kind="not_blocked",
            text=f"{old_id} is {old.status}; only a blocked question is rewritten.",
            instead="Add the question without replaces.",
        )
    if args.get("parent_id", old.parent_id) != old.parent_id:
        # Under another parent its moved children would get a wrong depth, and under one of them they would form a ring.
        return Refusal(
            kind="parent",
            text=f"the question that replaces {old_id} stands where it stood, under {old.parent_id}.",
            instead="Leave parent_id out.",
        )
    for one in args.get("depends_on", ()):
        if one == old_id or (one in state.frontier.questions and state.frontier.reaches(one, old_id)):
            return Refusal(
                kind="cycle",
                text=f"{one} needs {old_id}, which the new question replaces.",
                instead="Leave that dependency out.",
            )
    return None


def resolve_question(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Settle a question, after the checks on claims, hypothesis searches and the answer challenge."""
    question = state.frontier.questions.get(args["id"])
    if question is None:
        return moves.unknown(args["id"])
    refused = refuse_beside_pages(state, caller, question.id) or held_by_other(state, caller, question.id)
    if refused is None and not args["answer"].strip():
        refused = Refusal(kind="empty", text="an answer needs a text.")
    if refused is not None:
        return refused
    cited: list[str] = []
    for claim_id in args["claim_ids"]:
        claim = claim_of(state, claim_id)
        if isinstance(claim, Refusal):
            return claim
        cited.append(str(claim.id))
        if not claim.live:
            return Refusal(
                kind="dead_claim",
                text=f"{claim.id} is {claim.status} and carries no answer.",
                instead="Cite claims that are UNVERIFIED or VERIFIED.",
            )
    waivers: dict[str, str] = {name: why for name, why in args.get("waive", {}).items() if str(why).strip()}
    refused = _refuse_hypothesis(state, question, args, waivers) or _refuse_unchallenged(state, question, args, waivers)
    if refused is not None:
        return refused
    verified = any(state.ledger.claims[one].status is ClaimStatus.VERIFIED for one in cited)
    explained = next((state.explained[one] for one in cited if one in state.explained), "")
    if not verified and explained:
        waivers.setdefault("verified", explained)
    cause = next(reversed([one.id for one in _answer_challenges(state, question, args["answer"])]), "")
    done = moves.resolve(
        state.frontier,
        question.id,
        answer=args["answer"].strip(),
        claim_ids=cited,
        waivers=waivers,
        outcome=args.get("hypothesis_outcome", "") if question.kind is QuestionKind.HYPOTHESIS else "",
        actor=caller.actor,
        caused_by=cause,
        at=state.at,
    )
    if isinstance(done, Refusal):
        return done
    flag = "" if verified or "verified" in waivers else "; none of its claims is VERIFIED yet"
    return Done(state=progressed(moved(state, *done)), text=f"{question.id} resolved{flag}")


def _refuse_hypothesis(state: State, question: Question, args: Args, waivers: dict[str, str]) -> Refusal | None:
    if question.kind is not QuestionKind.HYPOTHESIS or "hypothesis" in waivers:
        return None
    if not args.get("hypothesis_outcome"):
        return Refusal(
            kind="hypothesis_outcome",
            text=f"{question.id} is a hypothesis.",
            instead="Give hypothesis_outcome: confirmed or refuted.",
        )
    # A search that failed has shown nothing either way.
    attempts = [one for one in state.frontier.attempts_of(question.id) if one.filled and not one.failed]
    refuting = any(one.kind is AttemptKind.CHALLENGE for one in attempts)
    confirming = any(one.kind is not AttemptKind.CHALLENGE for one in attempts)
    if refuting and confirming:
        return None
    lacking = "a confirming search" if not confirming else "a refuting search (a challenge)"
    return Refusal(
        kind="hypothesis_searches",
        text=f"hypothesis {question.id} lacks {lacking}.",
        instead="Search it, or waive {hypothesis: why}.",
    )


def _answer_challenges(state: State, question: Question, answer: str) -> tuple[Challenge, ...]:
    """The closed challenges of this answer, or of the conclusion for the root, that were carried out; oldest first."""
    key = (TargetType.QUESTION_ANSWER, question.id, fold(answer))
    found = state.conclusion_challenges() if question.id == ROOT else on_target(state.challenges.values(), key)
    return tuple(one for one in found if not one.open and (one.attempt_n or one.outcome != Outcome.INCONCLUSIVE))


def _refuse_unchallenged(state: State, question: Question, args: Args, waivers: dict[str, str]) -> Refusal | None:
    if not requires_answer_challenge(question.depth) or "challenge" in waivers:
        return None
    what = "conclusion" if question.id == ROOT else "answer"
    found = _answer_challenges(state, question, args["answer"])
    if not found:
        how = "conclusion" if question.id == ROOT else "question_answer and this exact answer as belief"
        return Refusal(
            kind="unchallenged",
            text=f"{question.id} has depth {question.depth}: its {what} must be challenged before it stands.",
            instead=f"Call challenge with target_type {how}, search its query, record the result; "
            "or waive {challenge: why}.",
        )
    refuting = [one.id for one in found if one.outcome == Outcome.REFUTED]
    if refuting:
        return Refusal(
            kind="refuted_answer",
            text=f"{refuting[-1]} refuted this {what}.",
            instead="State a changed one and challenge it.",
        )
    return None


def retry_question(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Log a reformulation; at the cap the question becomes unresolvable."""
    refused = refuse_beside_pages(state, caller, args["id"]) or held_by_other(state, caller, args["id"])
    if refused is not None:
        return refused
    done = moves.retry(
        state.frontier,
        args["id"],
        query=args["new_query"].strip(),
        why=args["why"],
        assumption=args.get("assumption", ""),
        actor=caller.actor,
        limits=state.limits,
        turn=caller.turn,
        at=state.at,
    )
    if isinstance(done, Refusal):
        return done
    state = progressed(moved(state, *done))
    question = state.frontier.questions[args["id"]]
    if question.status is QuestionStatus.UNRESOLVABLE:
        return Done(state=state, text=f"{question.id} is unresolvable; assumption recorded")
    count = state.frontier.attempts_count(question.id)
    return Done(
        state=state,
        text=f"{question.id} retry {count}/{state.limits.max_attempts} accepted; search {args['new_query']!r}",
    )


def reopen_question(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Reopen a settled question because of a later finding."""
    refused = refuse_beside_pages(state, caller, args["id"])
    if refused is not None:
        return refused
    done = moves.reopen(
        state.frontier,
        args["id"],
        args["why"],
        priority=float(args.get("priority", moves.REOPENED_PRIORITY)),
        actor=caller.actor,
        caused_by=caller.question if caller.question != args["id"] else "",
        at=state.at,
    )
    if isinstance(done, Refusal):
        return done
    return Done(state=moved(state, *done), text=f"{args['id']} reopened")


def set_priority(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Change a priority; dependencies follow."""
    refused = refuse_beside_pages(state, caller, args["id"])
    if refused is not None:
        return refused
    done = moves.set_priority(
        state.frontier, args["id"], float(args["priority"]), args["why"], actor=caller.actor, at=state.at
    )
    if isinstance(done, Refusal):
        return done
    raised = [one.question_id for one in done[1][1:]]
    return Done(
        state=moved(state, *done),
        text=f"{args['id']} p={float(args['priority']):.2f}" + (f"; raised {', '.join(raised)}" if raised else ""),
    )


def prune_branch(state: State, caller: Caller, args: Args) -> Done | Refusal:
    """Drop a question and its open descendants."""
    refused = refuse_beside_pages(state, caller, args["id"]) or held_by_other(state, caller, args["id"])
    if refused is not None:
        return refused
    done = moves.prune_branch(state.frontier, args["id"], args["reason"], actor=caller.actor, at=state.at)
    if isinstance(done, Refusal):
        return done
    return Done(state=moved(state, *done), text="pruned " + ", ".join(one.question_id for one in done[1]))


def code_reopens(state: State, question_id: str, why: str, caused_by: str) -> State:
    """Reopen by code where that is possible; a question that is still open stays as it is."""
    done = moves.reopen(state.frontier, question_id, why, actor=Actor.CODE, caused_by=caused_by, at=state.at)
    return state if isinstance(done, Refusal) else moved(state, *done)


HANDLERS: dict[str, Any] = {
    "frontier_next": frontier_next,
    "frontier_view": frontier_view,
    "add_question": add_question,
    "resolve_question": resolve_question,
    "retry_question": retry_question,
    "reopen_question": reopen_question,
    "set_priority": set_priority,
    "prune_branch": prune_branch,
}
