"""The index of a folder: what is read anew, what is skipped, and what cannot hurt it."""

import logging
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from papers import urls

from investigator.errors import UsageError
from investigator.world.documents import Corpus
from investigator.world.documents import corpus as module
from investigator.world.documents.parse import parse


def test_reopening_reads_only_what_changed(folder, load, monkeypatch):
    """Unchanged files are not parsed again, changed ones are, removed ones are gone."""
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"{name} magpie")
    load().close()
    read = []
    monkeypatch.setattr(module, "parse", lambda data, kind: read.append(data) or parse(data, kind))
    (folder / "a.txt").write_text("changed jackdaw")
    (folder / "b.txt").unlink()
    os.utime(folder / "c.txt", ns=(1, 1))
    corpus = load()
    assert read == [b"changed jackdaw"]
    assert urls(corpus.search("magpie", 9)) == ["doc:c.txt"]
    assert urls(corpus.search("jackdaw", 9)) == ["doc:a.txt"]
    load()
    assert len(read) == 1


def test_an_interrupt_leaves_a_usable_index(folder, load, monkeypatch):
    """What was read before an interrupt is kept, the rest is read at the next opening."""
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"{name} magpie")
    def stop(data, kind):
        if data.startswith(b"c"):
            raise KeyboardInterrupt
        return parse(data, kind)

    monkeypatch.setattr(module, "parse", stop)
    with pytest.raises(KeyboardInterrupt):
        load()
    read = []
    monkeypatch.setattr(module, "parse", lambda data, kind: read.append(data) or parse(data, kind))
    assert len(urls(load().search("magpie", 9))) == 3
    assert read == [b"c magpie"]


def test_broken_files_are_named_and_skipped(folder, load, caplog):
    """A file that cannot be read is told in the log and in `skipped`, at every opening."""
    (folder / "good.txt").write_text("fine")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.4 nonsense")
    (folder / "bad.docx").write_bytes(b"PK\x03\x04 nonsense")
    (folder / "bad.ipynb").write_text("{")
    (folder / "deep.json").write_text("[" * 100000)
    (folder / "bin.txt").write_bytes(bytes(range(256)) * 9)
    (folder / "empty.md").write_text("")
    for number in range(3):
        (folder / f"{number}.png").write_bytes(b"\x89PNG")
    (folder / ".hidden.txt").write_text("secret")
    for _ in range(2):
        with caplog.at_level(logging.WARNING, "investigator"):
            caplog.clear()
            corpus = load()
        skipped = dict(corpus.skipped)
        assert set(skipped) == {"bad.pdf", "bad.docx", "bad.ipynb", "deep.json", "bin.txt", "empty.md", "*.png"}
        assert skipped["*.png"] == "3 files of a type that is not read"
        assert "broken PDF" in skipped["bad.pdf"]
        (record,) = caplog.records
        assert "bad.pdf" in record.getMessage()
        assert "\n" not in record.getMessage()
        assert corpus.facts().pages == 1


def test_links_out_of_the_folder_are_not_followed(folder, load, tmp_path):
    """A symlink that leads outside is skipped with a reason, as file and as folder; one inside adds no twin."""
    (tmp_path / "secret.txt").write_text("outside treasure")
    (folder / "a.txt").write_text("inside")
    (folder / "out.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to(folder)
    (folder / "twin.txt").symlink_to(folder / "a.txt")
    corpus = load()
    assert urls(corpus.search("treasure", 5)) == []
    assert urls(corpus.search("inside", 5)) == ["doc:a.txt"]
    assert "outside" in dict(corpus.skipped)["out.txt"]
    assert "outside" in dict(corpus.skipped)["up"]


@pytest.mark.parametrize("make", [
    lambda folder: folder / "missing",
    lambda folder: folder,
    lambda folder: _put(folder / "x.png", b"\x89PNG"),
    lambda folder: _put(folder / "x.pdf", b"no pdf"),
    lambda folder: _put(folder / "x.png", b"\x89PNG") / "x.png",
])
def test_nothing_to_read_is_a_usage_error(folder, load, tmp_path, make):
    """A missing, empty or unreadable corpus is refused in one sentence, and nothing is written."""
    path = make(folder)
    with pytest.raises(UsageError, match=r"give|put"):
        load(path)
    assert list((tmp_path / "cache").glob("*")) == []


def _put(file, data):
    file.write_bytes(data)
    return file.parent


def test_the_index_stays_out_of_the_folder(folder, load):
    """Opening writes nothing into the folder, and a cache inside of it is refused."""
    (folder / "a.txt").write_text("x")
    load()
    assert [one.name for one in folder.iterdir()] == ["a.txt"]
    with pytest.raises(UsageError, match="inside"):
        Corpus(folder, cache_dir=folder / "cache")


def test_a_damaged_index_is_made_anew(folder, load, tmp_path):
    """The index is a cache: garbage in its place is replaced."""
    (folder / "a.txt").write_text("gannet")
    load().close()
    (file,) = (tmp_path / "cache").glob("*.db")
    file.write_bytes(b"no database at all" * 100)
    corpus = load()
    assert urls(corpus.search("gannet", 5)) == ["doc:a.txt"]
    corpus.close()
    whole = file.read_bytes()
    file.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert urls(load().search("gannet", 5)) == ["doc:a.txt"]


def test_two_processes_open_one_corpus(folder, tmp_path):
    """Two processes that build one index at once both see every document."""
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"pelican number {number}\n" * 50)
    code = (
        "import sys; from investigator.world.documents import Corpus; "
        "c = Corpus(sys.argv[1], cache_dir=sys.argv[2], progress=False); "
        "print(len(c.search('pelican', 99).hits)); c.close()"
    )
    arguments = [sys.executable, "-c", code, str(folder), str(tmp_path / "cache")]
    running = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.communicate(timeout=60)[0].strip() for one in running] == ["40", "40"]


def test_threads_share_a_corpus(folder, load):
    """Several threads search and read one corpus at once."""
    for number in range(20):
        (folder / f"{number}.txt").write_text(f"crane number {number}")
    corpus = load()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: list(map(corpus.fetch, urls(corpus.search("crane", 20)))), range(40)))
    assert {len(pages) for pages in found} == {20}
