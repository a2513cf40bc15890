"""Which files of a folder are documents. Knows the file system; must not know what stands in a file.

Hidden files, other types and links that lead outside are not read; what a person might miss is told with a reason.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from investigator.errors import UsageError
from investigator.world.documents.parse import READERS
from investigator.world.documents.records import MANIFESTS

MAX_BYTES = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A file to read. ``path`` is relative to the corpus, with slashes; ``size`` in bytes, ``mtime_ns`` in ns."""

    path: str
    file: Path
    size: int
    mtime_ns: int

    @property
    def kind(self) -> str:
        """The extension without its dot, in lower case."""
        return self.file.suffix[1:].lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """What is there: files in the order of their paths, and (path, reason) of those that are left out."""

    files: tuple[Found, ...]
    skipped: tuple[tuple[str, str], ...]


def walk(root: Path, avoid: Path) -> Walk:
    """The documents of a folder, or the one file ``root``; ``avoid`` is a folder that is never entered.

    Raises `UsageError` when there is nothing that could be read.
    """
    try:
        is_folder = stat.S_ISDIR(root.stat().st_mode)
        if is_folder:
            os.scandir(root).close()
    except FileNotFoundError:
        raise UsageError(f"there is no folder or file {root}; give the path of your documents") from None
    except OSError as error:
        raise UsageError(f"{root} cannot be read ({error.strerror}); check its name and permissions") from None
    except ValueError as error:
        raise UsageError(f"{str(root)!r} is no path ({error}); give the path of your documents") from None
    if not is_folder:
        return _one_file(root)
    walker = _Walker(root.resolve(), avoid)
    walker.enter(walker.root, "")
    if not walker.files:
        what = "is empty" if not walker.seen else "holds no file of a type that is read"
        raise UsageError(f"the folder {root} {what}; put documents into it ({KINDS_TEXT})")
    return walker.result()


KINDS_TEXT = "Markdown, text, HTML, PDF, docx, ipynb, CSV, JSONL"


def _one_file(file: Path) -> Walk:
    about = file.stat()
    if not stat.S_ISREG(about.st_mode):
        raise UsageError(f"{file} is neither a folder nor a file; give the path of your documents")
    if file.suffix[1:].lower() not in READERS:
        raise UsageError(f"{file} is of a type that is not read; give one of {KINDS_TEXT}")
    if about.st_size > MAX_BYTES:
        raise UsageError(f"{file} is larger than {MAX_BYTES // 1_000_000} MB; split it")
    found = Found(path=file.name, file=file, size=about.st_size, mtime_ns=about.st_mtime_ns)
    return Walk(files=(found,), skipped=())


class _Walker:
    def __init__(self, root: Path, avoid: Path) -> None:
        self.root = root
        self.avoid = avoid.resolve()
        self.seen = 0
        self.files: list[Found] = []
        self._skipped: list[tuple[str, str]] = []
        self._other: Counter[str] = Counter()

    def enter(self, folder: Path, prefix: str) -> None:
        """Takes down what a folder holds; folders that are links are never entered, so there is no cycle."""
        pending = [(folder, prefix)]
        while pending:
            here, before = pending.pop()
            try:
                with os.scandir(here) as entries:
                    inside = sorted(entries, key=lambda one: one.name)
            except OSError as error:
                self._skipped.append((f"{before}", f"cannot be read ({error.strerror})"))
                continue
            for entry in inside:
                if entry.name.startswith("."):
                    continue
                self.seen += 1
                path = before + entry.name
                if entry.is_dir(follow_symlinks=False):
                    if Path(entry.path) != self.avoid:
                        pending.append((Path(entry.path), f"{path}/"))
                else:
                    self._look(Path(entry.path), path, entry.is_symlink())

    def _look(self, file: Path, path: str, is_link: bool) -> None:
        reason = self._leads_away(file) if is_link else ""
        try:
            path.encode("utf-8")
            about = file.stat()
        except UnicodeEncodeError:
            shown = path.encode("utf-8", "backslashreplace").decode()
            self._skipped.append((shown, "its name is no valid text; rename it"))
            return
        except OSError as error:
            reason, about = reason or f"cannot be read ({error.strerror})", None
        if about is not None and not reason and not stat.S_ISREG(about.st_mode):
            reason = "it is a folder behind a link" if stat.S_ISDIR(about.st_mode) else "it is no regular file"
        self._sort_in(file, path, about, reason)

    def _sort_in(self, file: Path, path: str, about: os.stat_result | None, reason: str) -> None:
        kind = file.suffix[1:].lower()
        if not reason and path in MANIFESTS:
            return
        if not reason and kind not in READERS:
            self._other[f"*.{kind}"] += 1
        elif reason or about is None:
            self._skipped.append((path, reason))
        elif about.st_size > MAX_BYTES:
            self._skipped.append((path, f"it is larger than {MAX_BYTES // 1_000_000} MB"))
        else:
            self.files.append(Found(path=path, file=file, size=about.st_size, mtime_ns=about.st_mtime_ns))

    def _leads_away(self, link: Path) -> str:
        try:
            inside = link.resolve(strict=True).relative_to(self.root)
        except (OSError, RuntimeError):
            return "it is a broken link"
        except ValueError:
            return "it is a link that leads outside of the folder"
        hidden = any(part.startswith(".") for part in inside.parts)
        return "" if hidden else f"it is a link to {inside.as_posix()}"

    def result(self) -> Walk:
        several = {kind: f"{count} file{'s' * (count > 1)}" for kind, count in sorted(self._other.items())}
        kinds = [(kind, f"{count} of a type that is not read") for kind, count in several.items()]
        return Walk(files=tuple(sorted(self.files, key=lambda one: one.path)), skipped=(*self._skipped, *kinds))
