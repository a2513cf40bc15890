"""The columns of every frame, once: name, type, meaning. The frames and the reference page are made from this text.

Knows names and vocabularies. No pandas here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from investigator.core import events, vocab

# A frame's head names its table. A column line is: name (=column of the table, if that differs), type, meaning.
# Types: s text, k id or word where '' is NA, j text holding JSON, i Int64, f Float64, b boolean, t UTC time,
# c:Vocabulary category. A star before the meaning: derived, no column of the table.
_TEXT = """
[runs] gb_agent_research_runs
run_id=id i number of the run
objective s what is to be found out
loop c:Loop loop that works on it
user_id s who asked
notes_id k id of its notes file
status c:RunStatus how it stands
phase c:Phase exploration or synthesis
stop_reason c:StopReason why it ended or went to synthesis; NA while running
error s why it failed or paused
model s name of the model
web s name of the world that is searched
limits j limits that hold now
parent_run i run it was forked from
parent_turn i turn of that run after which it was forked
steps i closed turns
tool_calls i tool calls answered
tokens i tokens spent, prompt and reply
cost_usd f US dollars spent; NA: unknown
report s the report, Markdown
repaired b code repaired or wrote the report
created_at t when it, or the run it was forked from, was started
updated_at t when its last event happened

[questions] gb_agent_frontier_questions
question_id=id k q_001 is the root
parent_id k NA: the root
depth i 0 for the root
seq i order of creation
kind c:QuestionKind query, hypothesis or gap
question s as worded by the model or a person
rationale s why it is asked
validation_criteria s what settles it
target_sources j where to look
priority f 0 to 1, now
status c:QuestionStatus where it stands now
answer s when resolved
answer_claim_ids j claims the answer rests on
assumption s what is assumed when unresolvable
reason s why it was pruned, blocked or overridden
worker k who holds it
trans_seq i its latest transition
created_at t when it was asked
updated_at t when it changed last
attempts i * reformulations since it was reopened last

[dependencies] gb_agent_frontier_deps
question_id k the question that waits
depends_on_id k what it needs
created_at t when it began to wait
satisfied b * what it needs is resolved
dead b * what it needs is pruned or unresolvable

[attempts] gb_agent_frontier_attempts
attempt_n=n i number within the run
kind c:AttemptKind search, fetch, query, challenge or retry
question_id k question it was made for
query s what was asked, or the url
tool k tool that was called; NA: a retry not yet carried out
outcome s what came of it, one line
created_at t when it was made
turn i turn it was made in
challenge_id k * challenge it carried out

[transitions] gb_agent_frontier_transitions
question_id k the question
seq i 1..n per question
from_status c:QuestionStatus NA: creation
to_status c:QuestionStatus status after
trigger c:Trigger what changed it
actor c:Actor agent, code or human
reason s why, in words
priority f priority then
attempts i attempts that counted then
caused_by k q_ or ch_ id that led to it
state_seq i row of the states frame
created_at t when
turn i * by state_seq

[claims] gb_agent_claims
claim_id=id k c_ or d_
kind c:ClaimKind claim or datapoint
text s the assertion
value k value of a datapoint, a decimal string
unit k unit of that value
status c:ClaimStatus where it stands
question_id k question it was found for
note s scope or comment
created_at t when it was recorded
updated_at t when its status changed last
pages i * sources that support it
origins i * independent origins that count
last_check k * challenge:outcome of the one closed last

[claim_transitions] gb_agent_claim_transitions
claim_id k the claim
seq i 1..n per claim
from_status c:ClaimStatus NA: creation
to_status c:ClaimStatus status after
actor c:Actor agent, code or human
reason s why, in words
caused_by k id that led to it
state_seq i row of the states frame
created_at t when
turn i * by state_seq

[claim_links] gb_agent_claim_links
claim_id k the claim that speaks
other_id k the claim it speaks of
kind c:Stance supports or contradicts
status c:LinkStatus open or addressed
text s what it is about, or how it was addressed
question_id k question that settles it
created_at t when it was found

[claim_sources] gb_agent_claim_sources
claim_id k the claim
source_id k the source
stance c:Stance supports or contradicts
quote s words of the source
page_sha256 k page text the quote stands in
quote_start i first character in that text; NA: not located
quote_end i character after its last
independent b declared independent of the earlier ones
declared_why s why, in the model's words
created_at t when it was linked
origin i * number of its origin within the claim; NA: it does not count

[sources] gb_agent_sources
source_id=id k s_001
url s canonical url
domain s registrable domain
title s its title
note s what was found in it
published k date it gives itself
retracted k why it is not to be relied on
created_at t when it was read first

[challenges] gb_agent_challenges
challenge_id=id k ch_001
target_type c:TargetType claim, question_answer or conclusion
claim_id k target, when it is a claim
question_id k target, when it is an answer
belief s the text under attack
strategy c:Strategy kind of attack
negation s what would hold if the belief were false
expected_if_false j what would then be found
query s what is searched for
attempt_n i search that carried it out; NA: not searched
status c:ChallengeStatus open or closed
outcome c:Outcome NA: open
evidence s what was found
result_claim_id k claim that came of it
created_at t when it was opened
closed_at t when it was closed
turn=opened_turn i turn it was opened in
closed_turn i turn it was closed in

[challenge_sources] gb_agent_challenge_sources
challenge_id k the challenge
source_id k a source its outcome rests on

[notes_versions] gb_agent_notes_versions
seq i 1..n
state_seq i row of the states frame
reason c:NotesReason what wrote it
content s the whole notes after the write
created_at t when
turn i * by state_seq
tokens i * estimated size

[states] gb_agent_research_states
seq i order within the run
state c:RunState what the run was doing
question_id k on which question
turn i in which turn
detail s what about it
created_at t when it began

[turns] gb_agent_events
turn i * 1 for the first
kind c:TurnKind * what the turn was for
worker k * who had it
question_id k * current question
est_system i * estimated tokens of the system prompt
est_tools i * of the tools
est_task i * of the task
est_notes i * of the notes
est_frontier i * of the frontier summary
est_recent i * of the last turns
est_instruction i * of the instruction
reserved i * tokens reserved
tokens_in i * reported by the model; NA: no answer
tokens_out i * likewise
cost_usd f * NA: unknown
tries i * requests sent
calls i * calls in the reply, as received
finish_reason k * as told by the model
error k * kind of the last failure, if no reply came
seconds f * from its opening to its last event
opened_at t * when
closed_at t * its last event

[events] gb_agent_events
seq i place in the log
turn i turn it belongs to
worker k worker it belongs to
kind c:Event kind of event
payload j the event without page text
state_sha256=chain_sha256 k chain hash after it
at t when it happened

[pages] gb_agent_pages
sha256 k hash of the text
url s where it was found first
part i always 1: the whole text is stored at once
title s title of the page
text s the whole readable text
fetched_at t when it was read first
source_id k * source it belongs to
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a frame. ``stored`` is its name in the table, '' when it is derived."""

    name: str
    kind: str
    meaning: str
    stored: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A frame: its table and its columns; ``run_id`` is always the first."""

    name: str
    table: str
    columns: tuple[Column, ...]


_RUN_ID = Column(name="run_id", kind="i", meaning="the run", stored="run_id")


def _words(vocabulary: str) -> tuple[str, ...]:
    if vocabulary == "Event":
        return tuple(events.KINDS)
    return tuple(str(word) for word in getattr(vocab, vocabulary) if word)


def _column(line: str) -> Column:
    head, kind, meaning = line.split(" ", 2)
    name, _, stored = head.partition("=")
    derived = meaning.startswith("* ")
    kind, _, vocabulary = kind.partition(":")
    return Column(
        name=name, kind=kind, meaning=meaning.removeprefix("* "), stored="" if derived else stored or name,
        words=_words(vocabulary) if vocabulary else (),
    )  # fmt: skip


def _frames(text: str) -> Iterator[Frame]:
    for block in text.strip().split("\n\n"):
        head, *lines = block.split("\n")
        name, table = head.removeprefix("[").split("] ")
        columns = tuple(_column(line) for line in lines)
        yield Frame(name=name, table=table, columns=columns if name == "runs" else (_RUN_ID, *columns))


FRAMES: Mapping[str, Frame] = MappingProxyType({one.name: one for one in _frames(_TEXT)})

_TYPES = {"s": "string", "k": "string", "j": "string (JSON)", "i": "Int64", "f": "Float64", "b": "boolean",
          "t": "datetime64[us, UTC]", "c": "category"}  # fmt: skip


def reference() -> str:
    """All frames as a page of Markdown."""
    parts = ["# Frames\n"]
    for frame in FRAMES.values():
        parts.append(f"## {frame.name}\n\nFrom `{frame.table}`.\n\n| column | type | meaning |\n|---|---|---|")
        for one in frame.columns:
            words = f" ({', '.join(one.words)})" if one.words else ""
            derived = "" if one.stored else " (derived)"
            parts.append(f"| {one.name} | {_TYPES[one.kind]} | {one.meaning}{words}{derived} |")
        parts.append("")
    return "\n".join(parts)
