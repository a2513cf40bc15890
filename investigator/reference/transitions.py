"""The page of the transitions: the diagram and the table of what may happen to a question."""

from __future__ import annotations

from investigator.core.transitions import TABLE, Rule, diagram
from investigator.reference.markdown import page, table


def transitions() -> str:
    """The state diagram of a question and its table, as a page of Markdown."""
    rows = [
        [f"`{trigger}`", _moves(rule), ", ".join(sorted(rule.actors)) + _human(rule), rule.meaning]
        for trigger, rule in TABLE.items()
    ]
    return page(
        "# Transitions of a question",
        "Every change of a question is one row of `gb_agent_frontier_transitions`, with its trigger, actor and cause. "
        "Any other change is refused. The root is created `in_progress`, and reopened to it.",
        f"```mermaid\n{diagram()}```",
        table(["trigger", "change", "who", "when"], rows),
    )


def _moves(rule: Rule) -> str:
    same = all(start == end for start, end in rule.moves.items())
    if same:
        return "none, the priority only"
    return "; ".join(f"{start or 'new'} → {end}" for start, end in rule.moves.items())


def _human(rule: Rule) -> str:
    return f"; a person also from {', '.join(sorted(rule.human_from))}" if rule.human_from else ""
