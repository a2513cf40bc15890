"""The notebook room: runs as DataFrames and as HTML. For people who look; nothing here steps a run.

`frames` knows tables, `columns` says what stands in them, `html` makes all the HTML and escapes at every leaf.
Only `session_views` and the package's public names come in here.
"""
