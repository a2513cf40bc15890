"""Everything outside the process but the database: models, search, fetch, documents, synthetic webs.

It imports `investigator.core` for the shapes that cross, and nothing else of the package; only `session` (and through
it the command line) may enter. Whatever comes in here is hostile until it has become a value of `core.wire`.
"""
