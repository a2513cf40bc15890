"""A folder or a file of documents as a world to search.

`corpus` is what others use; `walk` finds the files, `parse` and its neighbours read one file, `index` keeps and finds
passages. `world.fetch` shares the parsers. Nothing here writes into the folder.
"""

from investigator.world.documents.corpus import Corpus

__all__ = ["Corpus"]
