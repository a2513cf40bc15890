"""A folder for documents, and its opening as a corpus."""

import pytest

from investigator.world.documents import Corpus


@pytest.fixture
def folder(tmp_path):
    """An empty folder to put documents into."""
    made = tmp_path / "library"
    made.mkdir()
    return made


@pytest.fixture
def load(folder, tmp_path):
    """Opens the folder with an index beside it; everything is closed at the end."""
    opened = []

    def open_corpus(path=folder, **kwargs):
        opened.append(Corpus(path, cache_dir=tmp_path / "cache", progress=False, **kwargs))
        return opened[-1]

    yield open_corpus
    for one in opened:
        one.close()
