"""Notes files: hostile user ids stay inside the folder, a reader never sees half a file."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

import pytest

from investigator.errors import StoreError, UsageError
from investigator.store import NotesFile
from investigator.store.notes_files import new_notes_id, user_part

NOTES_ID = "0123456789abcdef" * 2
USERS = [
    "", " ", ".", "..", "...", "/", "//", "\\", "a/b", "a\\b", "../x", "../../etc/passwd", "/etc/passwd",
    "..\\..\\x", "C:\\x", "~", "~root", "a\x00b", "\x00", "\n", "a\r\nb", "\t", "\x1b[31m", "é", "日本語", "🧪",
    "👩‍🔬" * 40, "\ud800", "\u202egnp.exe", "\u200b", "\ufeff", "／", "．．", "․․/", "%2e%2e%2f", "%00",
    "$(rm -rf /)", "`id`", "; ls", "| cat", "&& x", "a b", "'", '"', "*", "?", "<", ">", "|", ":", "CON", "nul",
    "aux.txt", "-rf", "--help", ".hidden", "a.", "a ", "x" * 64, "x" * 65, "x" * 10_000, "é" * 10_000,
    "A" * 63 + "/", "notes_", "_", "user@example.org", "ann\n_1_" + NOTES_ID, "../" * 3000,
    "file:///etc/passwd", "http://x/y", "a\u0301", "\U0010ffff", "ＣＯＮ",
]  # fmt: skip


@pytest.mark.parametrize("user", USERS)
def test_path_stays_in_the_folder_for_any_user(tmp_path: Path, user: str) -> None:
    """Whatever a user id holds, the file lies in the folder, under a plain name, and holds what was written."""
    files = NotesFile(tmp_path / "notes")
    path = files.path(user, 7, NOTES_ID)
    files.write(path, f"notes of {user}")
    assert [one.name for one in tmp_path.iterdir()] == ["notes"]
    assert list((tmp_path / "notes").iterdir()) == [path]
    assert re.fullmatch(rf"notes_[A-Za-z0-9._-]{{1,64}}_7_{NOTES_ID}\.md", path.name)
    assert files.read(path) == f"notes of {user}"


def test_users_are_as_many_as_promised() -> None:
    """The list above holds at least sixty different ids."""
    assert len(set(USERS)) >= 60


@pytest.mark.parametrize(
    ("user", "part"), [("", "anon"), ("a b", "a_b"), ("é/..", "__.."), ("x" * 70, "x" * 64), ("a.b-c_D9", "a.b-c_D9")]
)
def test_user_part_replaces_what_is_outside_the_alphabet(user: str, part: str) -> None:
    """One underscore for each character; an empty id is anon; 64 characters at most."""
    assert user_part(user) == part


@pytest.mark.parametrize(
    "notes_id", ["", "x", "0" * 31, "0" * 33, "A" * 32, "../" + "0" * 29, "0" * 32 + "\n", "０" * 32]
)
def test_path_refuses_what_is_no_notes_id(tmp_path: Path, notes_id: str) -> None:
    """Runs made before notes files have '' and get none; anything else is a mistake."""
    with pytest.raises(UsageError, match="no notes id"):
        NotesFile(tmp_path).path("ann", 1, notes_id)


def test_new_notes_ids_differ_and_fit(tmp_path: Path) -> None:
    """32 lower-case hex digits, another each time."""
    ids = {new_notes_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(NotesFile(tmp_path).path("ann", 1, one) for one in ids)


def test_missing_file_reads_as_empty(tmp_path: Path) -> None:
    """Neither a missing file nor a missing folder is an error."""
    files = NotesFile(tmp_path / "none")
    assert files.read(files.path("ann", 1, NOTES_ID)) == ""
    assert not (tmp_path / "none").exists()


def test_write_replaces_the_whole_text_and_leaves_nothing_else(tmp_path: Path) -> None:
    """The last text is there, with any character; no temporary file stays; only the owner may read."""
    files = NotesFile(tmp_path)
    path = files.path("ann", 1, NOTES_ID)
    for text in ("long " * 1000, "short\r\nwith \x00 and \ud800 and 🧪\n"):
        files.write(path, text)
        assert files.read(path) == text
    assert list(tmp_path.iterdir()) == [path]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_failed_write_keeps_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk fails before the rename, the old text stays and the temporary file goes."""
    files = NotesFile(tmp_path)
    path = files.path("ann", 1, NOTES_ID)
    files.write(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="cannot be written: No space left"):
        files.write(path, "new")
    monkeypatch.undo()
    assert files.read(path) == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_link_in_the_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    """A planted link is neither read nor written through; writing puts a file in its place."""
    secret = tmp_path / "secret"
    secret.write_text("key")
    files = NotesFile(tmp_path / "notes")
    path = files.path("ann", 1, NOTES_ID)
    path.parent.mkdir()
    path.symlink_to(secret)
    with pytest.raises(StoreError, match="cannot be read"):
        files.read(path)
    files.write(path, "notes")
    assert (secret.read_text(), files.read(path), path.is_symlink()) == ("key", "notes", False)


def test_path_outside_the_folder_is_refused(tmp_path: Path) -> None:
    """Reading and writing check again that the file lies in the folder, links resolved."""
    files = NotesFile(tmp_path / "notes")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "sub").symlink_to(tmp_path)
    for path in (
        tmp_path / "x.md",
        tmp_path / "notes" / ".." / "x.md",
        tmp_path / "notes" / "sub" / "x.md",
        Path("x.md"),
    ):
        with pytest.raises(UsageError, match="does not lie in"):
            files.write(path, "x")
        with pytest.raises(UsageError, match="does not lie in"):
            files.read(path)


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file in the place of the folder gives one sentence."""
    (tmp_path / "notes").write_text("in the way")
    files = NotesFile(tmp_path / "notes")
    with pytest.raises(StoreError, match="cannot be written"):
        files.write(files.path("ann", 1, NOTES_ID), "x")
