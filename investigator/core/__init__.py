"""The pure room: values and rules. Nothing here does I/O, reads a clock or draws a random number.

Anyone may enter (import) it; it imports nobody but `investigator.errors`.
"""
