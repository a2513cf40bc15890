"""The loops: how events change a run's state and what it does next. Pure, like the core and the tools they import.

`machine` is the door: `apply`, `decide`, `fold`. Only `session` enters it.
"""
