"""What the model may call: one spec and one pure handler a tool, and the registry that says what a turn kind offers.

Pure, like the core: `(state, caller, args) -> Done | Refusal`. It imports the core; the loops import it.
"""
