"""The offline model: it reads, ranks and quotes sentences by rules, and says so. It is no language model.

Pure text functions, deterministic: no network, no clock, no random number. Only `investigator.world` enters; the room
itself imports `investigator.core`.
"""
