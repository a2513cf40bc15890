"""A process that dies at any instant, or whose disk fills up, loses nothing that was committed.

Run as a program, this file drives one run in a process of its own, so that it can be killed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import investigator as iv

QUESTION = "How high is the tide at port 7?"
MOST_KILLS = 4

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


def drive(docs: str, cache: str, store: str) -> None:
    """Begin a run, or go on with run 1, to its end."""
    from investigator.world.documents import Corpus

    corpus = Corpus(docs, cache_dir=cache, progress=False)
    begun = Path(store).exists() and len(iv.runs(store)) > 0
    with (
        iv.open_run(1, store=store, web=corpus)
        if begun
        else iv.investigate(QUESTION, web=corpus, store=store, limits=iv.Limits.narrow().replace(max_iterations=8))
    ) as inv:
        assert inv.run(progress=False)
    corpus.close()


def killed_each(docs: str, folder: str, times: str, seed: str) -> None:
    """Fork, kill after a chance time, go on in another process that is killed as well: as often as ``times`` says.

    The whole takes place in a process that has lived two runs already: a kill never falls into imports, and no child
    pays for them. A run is killed at most ``MOST_KILLS`` times, then it goes on to its end, which is compared.
    """
    drive(docs, str(Path(folder, "cache")), str(Path(folder, "first.db")))
    begun, whole = time.monotonic(), Path(folder, "whole.db")
    drive(docs, str(Path(folder, "cache of its own")), str(whole))
    longest = time.monotonic() - begun
    chance, report = random.Random(int(seed)), _report(whole)
    struck = 0
    for number in range(int(times) // MOST_KILLS):
        store, cache = Path(folder, f"{number}.db"), Path(folder, f"cache{number % 7 if number % 2 else number}")
        for again in range(MOST_KILLS):
            struck += _forked(docs, str(cache), str(store), chance.uniform(0.0, longest / (1 + again)))
            assert not store.exists() or not len(iv.runs(store)) or iv.verify(1, store=store) == []
        assert not _forked(docs, str(cache), str(store), None)
        assert iv.verify(1, store=store) == []
        assert _report(store) == report
    print(struck)


def _forked(docs: str, cache: str, store: str, seconds: float | None) -> bool:
    """Whether the process was killed. It must have ended well otherwise."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            drive(docs, cache, store)
            code = 0
        finally:
            os._exit(code)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def _report(store: Path) -> str:
    with iv.open_run(1, store=store) as inv:
        return inv.report.markdown


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    for port in range(12):
        told = f"# Port {port}\n\nThe moon pulls the sea.\n\nThe tide at port {port} is {port + 2} metres high.\n"
        (made / f"{port:02}.md").write_text(told * 3)
    return made


def _kill(docs: Path, folder: Path, times: int, seed: int) -> int:
    arguments = [sys.executable, __file__, "killed_each", str(docs), str(folder), str(times), str(seed)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=3000)
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout)


def test_a_killed_run_goes_on_to_the_same_report(docs: Path, tmp_path: Path) -> None:
    """SIGKILL at 8 chance instants, while indexing, in turns, at the end: verify holds, the report is the same."""
    assert _kill(docs, tmp_path, 8, 7) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_killed_runs_go_on_to_the_same_report(docs: Path, tmp_path: Path, seed: int) -> None:
    """The same with 200 kills in four parts."""
    assert _kill(docs, tmp_path, 52, seed) >= 25


def limited(docs: str, cache: str, store: str, size: str) -> None:
    """`drive` on a disk where no file may grow beyond ``size`` bytes."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writing fails with an error, as on a full disk
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
    try:
        drive(docs, cache, store)
    except iv.InvestigatorError as error:
        print(error)
        sys.exit(1)


@pytest.mark.parametrize("size", [50_000, 250_000])
def test_a_full_disk_is_told_and_the_run_goes_on(docs: Path, tmp_path: Path, size: int) -> None:
    """Files that cannot grow any more, early and late: an error of ours that says what to do; with room it goes on."""
    from investigator.world.documents import Corpus

    cache, store = tmp_path / "cache", tmp_path / "x.db"
    Corpus(docs, cache_dir=cache, progress=False).close()
    arguments = [sys.executable, __file__, "limited", str(docs), str(cache), str(store), str(size)]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert "disk" in done.stdout or "written" in done.stdout
    drive(str(docs), str(cache), str(store))
    assert iv.verify(1, store=store) == []


def test_a_run_is_worked_on_by_one_process(docs: Path, tmp_path: Path) -> None:
    """While a live process holds a run, another one is refused with its number and host; later it may."""
    store = tmp_path / "x.db"
    with iv.investigate(QUESTION, store=store) as inv:
        other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        inv._log.store.hold(1, "w1", os.uname().nodename, other.pid, 60.0)
        with pytest.raises(iv.RunHeld, match=f"by process {other.pid}"):
            inv.step()
        other.communicate(b"\n")
        assert inv.step() is not None
        assert inv.verify() == []


if __name__ == "__main__":
    {"killed_each": killed_each, "limited": limited}[sys.argv[1]](*sys.argv[2:])
