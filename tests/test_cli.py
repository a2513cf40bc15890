"""The command line: what it prints, its exit codes, its sentences for bad input, and what an interrupt leaves."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from session_worlds import REPORT, Killed, TinyWeb, begin, raising, reporting

import investigator as iv
from investigator import cli, cli_output, session
from investigator.world.openai import OpenAIModel
from investigator.world.synthetic import DEMO_OBJECTIVE

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's data and cache folders lie in the test's own."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run a command: exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main(arguments)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    made = tmp_path / "docs"
    made.mkdir()
    (made / "tides.md").write_text("# Tides\n\nThe moon pulls the sea twice a day, as everybody knows.\n")
    return made


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "x.db")


def run_docs(command: Command, docs: Path, store: str, *more: str) -> tuple[int, str, str]:
    return command("run", "What pulls the sea?", "--corpus", str(docs), "--store", store, "--narrow", *more)


def test_a_question_of_a_folder_is_answered_as_one_object(command: Command, docs: Path, store: str) -> None:
    """`run --json` prints one object with the documented keys, a located quote in the sources, and nothing else."""
    code, out, err = run_docs(command, docs, store, "--json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert {"run_id", "status", "phase", "stop_reason", "turns", "tokens", "cost_usd"} <= set(found)
    assert (found["objective"], found["loop"], found["model"]) == ("What pulls the sea?", "investigative", "offline")
    assert found["web"] == f"corpus:{docs}"
    assert found["report"].startswith("# What pulls the sea?\n\n## Summary")
    assert found["questions"]["resolved"] >= 1
    assert set(found["claims"]) == {"UNVERIFIED", "VERIFIED", "REFUTED", "RETRACTED"}
    (source,) = found["sources"]
    assert source["url"] == "doc:tides.md"
    quote = source["quotes"][0]
    assert quote["text"] in (docs / "tides.md").read_text()
    assert quote["place"] == "line 3"
    assert set(quote) >= {"claim_id", "text", "place"}


def test_a_report_is_printed_and_saved(command: Command, docs: Path, store: str, tmp_path: Path) -> None:
    """Without --json the report stands on stdout and in the file, the progress on stderr."""
    code, out, err = run_docs(command, docs, store, "--out", str(tmp_path / "report.md"))
    assert code == 0
    assert (tmp_path / "report.md").read_text() in out + "\n"
    assert "## Summary" in out
    assert "turn " in err
    assert "claims" in err


def test_runs_are_listed(command: Command, docs: Path, store: str) -> None:
    """`runs --json` prints a list of objects with the documented keys; without runs an empty one, and no store."""
    assert command("runs", "--json")[:2] == (0, "[]\n")
    run_docs(command, docs, store, "--json")
    code, out, _ = command("runs", "--store", store, "--json")
    (row,) = json.loads(out)
    assert code == 0
    assert list(row) == ["run_id", "status", "objective", "loop", "turns", "created_at", "stop_reason"]
    assert (row["run_id"], row["status"], row["objective"]) == (1, "completed", "What pulls the sea?")
    assert json.loads(command("show", "1", "--store", store, "--json")[1])["created_at"] == row["created_at"]
    assert "What pulls the sea?" in command("runs", "--store", store)[1]


def test_the_default_store_is_in_the_users_data_folder(command: Command, home: Path) -> None:
    """A run without --store is found by `runs` without --store."""
    command("run", "What?", "--loop", "simple", "--set", "max_iterations=2", "--json")
    assert len(json.loads(command("runs", "--json")[1])) == 1
    assert (home / "investigator" / "investigator.db").exists()


def test_a_run_is_shown_verified_forked_and_exported(
    command: Command, docs: Path, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command on a run works from its store alone."""
    monkeypatch.chdir(tmp_path)
    run_docs(command, docs, store, "--json")
    assert "## Summary" in command("show", "1", "--store", store)[1]
    assert json.loads(command("show", "1", "--store", store, "--json")[1])["run_id"] == 1
    assert command("verify", "1", "--store", store)[:2] == (0, "run 1: log, tables and notes agree\n")
    assert json.loads(command("verify", "1", "--store", store, "--json")[1])["ok"] is True
    code, out, _ = command("fork", "1", "--turn", "3", "--store", store, "--set", "max_iterations=25", "--json")
    assert (code, json.loads(out)["run_id"]) == (0, 2)
    assert command("verify", "2", "--store", store)[0] == 0
    assert command("export", "1", "--store", store)[:2] == (0, "written to run_1.jsonl\n")
    assert json.loads((tmp_path / "run_1.jsonl").read_text().splitlines()[0])["run_id"] == 1


def test_verify_exits_1_when_something_differs(command: Command, store: str) -> None:
    """A tampered store is told line by line."""
    with begin(store, reporting()) as inv:
        inv.run(progress=False)
        with inv._log.store.engine.begin() as connection:
            connection.exec_driver_sql("UPDATE gb_agent_sources SET domain = 'evil.example'")
    code, out, _ = command("verify", "1", "--store", store)
    assert code == 1
    assert "evil.example" in out


_NAMED = ("--model", "offline", "--web", "demo")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", ""], "the objective is empty"),
        (["run", " \n"], "the objective is empty"),
        (["run", "x", "--corpus", "/nowhere/at/all"], "there is no folder or file"),
        (["run", "x", "--corpus", "EMPTY"], "EMPTY"),
        (["run", "x", "--corpus", "y", "--web", "demo"], "not allowed with argument"),
        (["run", "x", "--loop", "dance"], "choose simple or investigative"),
        (["run", "x", "--model", "hal"], "choose 'offline', 'openai:NAME'"),
        (["run", "x", "--web", "gopher"], "choose corpus:PATH"),
        (["run", "x", "--set", "max_depth=99"], "max_depth must be from 1 to 10"),
        (["run", "x", "--set", "max_depth=two"], "max_depth must be a whole number from 1 to 10"),
        (["run", "x", "--set", "max_depth=NaN"], "max_depth must be"),
        (["run", "x", "--set", "depth=2"], "there is no limit 'depth'"),
        (["run", "x", "--set", "depth"], "NAME=VALUE"),
        (["run", "x", "--set", "strategies=bribery"], "strategies must be"),
        (["run", "x", "--store", "nope://x"], "is no database that is known here"),
        (["run", "x", "--store", "/nowhere/at/all/x.db"], "there is no folder"),
        (["run", "x", "--store", ""], "an empty name is no store"),
        (["run", "x", "--out", "/nowhere/at/all/x.md"], "there is no folder"),
        (["run", "x", "--out", "/"], "is no file to write to"),
        (["run", "x", "--model", "openai:m"], "openai:m needs a key: set OPENAI_API_KEY, name a server of your own"),
        (["fork", "1", "--turn", "0", "--store", "STORE", "--web", "demo", "--model", "openai:m"], "needs a key"),
        (["run", "x", "--base-url", "http://h"], "belongs to a model openai:NAME"),
        (["run", "x", "--model", "openai:m", "--base-url", "http://h", "--set", "max_cost_usd=1"],
         "the price of openai:m is not known"),
        (["show", "1"], "there are no runs yet"),
        (["show", "1", "--store", "/nowhere/x.db"], "there is no store at"),
        (["show", "one"], "invalid int value"),
        (["resume", "7"], "there are no runs yet"),
        (["verify", "1", "--store", "/nowhere/x.db"], "there is no store at"),
        (["export", "1", "--format", "html", "--store", "STORE"], "choose jsonl"),
        (["fork", "1", "--turn", "-1", "--store", "STORE", *_NAMED], "a whole number from 0"),
        (["fork", "1", "--turn", "99", "--store", "STORE", *_NAMED], "there is no turn 99"),
        (["show", "99", "--store", "STORE"], "there is no run 99"),
        (["resume", "99", "--store", "STORE"], "there is no run 99"),
        (["verify", "99", "--store", "STORE"], "there is no run 99"),
        (["dance"], "invalid choice"),
        ([], "required: COMMAND"),
        (["run"], "required: objective"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_exit_2(
    command: Command, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], told: str
) -> None:
    """One line on stderr that names the mistake, exit 2, no traceback, and nothing written in the data folder."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "EMPTY").mkdir()
    begin(tmp_path / "STORE", reporting()).close()
    given = [str(tmp_path / one) if one in ("EMPTY", "STORE") else one for one in arguments]
    code, out, err = command(*given)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    assert not (home / "investigator" / "investigator.db").exists()


def test_a_file_that_is_no_database_is_told(command: Command, tmp_path: Path) -> None:
    """A store that is some other file stays as it is."""
    other = tmp_path / "notes.txt"
    other.write_text("dear diary " * 200)
    code, _, err = command("runs", "--store", str(other))
    assert code == 2
    assert len(err.splitlines()) == 1
    assert other.read_text() == "dear diary " * 200


def test_a_failing_model_exits_1_and_says_how_to_go_on(
    command: Command, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason and the resume command are on stderr; --json still prints the object."""

    def complete(self: OpenAIModel, request: iv.Request) -> iv.Reply:
        raise iv.ModelError("unavailable", "nobody answers")

    monkeypatch.setattr(OpenAIModel, "complete", complete)
    model = ("--model", "openai:m", "--base-url", "http://localhost:1/v1")
    code, out, err = command("run", "What?", *model, "--store", store, "--json")
    assert code == 1
    assert json.loads(out)["status"] == "paused"
    assert "nobody answers" in err
    assert f"investigator resume 1 --store {store}" in err


def test_a_run_whose_key_is_gone_is_not_touched(
    command: Command, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was begun with a key is refused without one, in one sentence, and goes on from where it was."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    iv.investigate("What?", model="openai:m", web="demo", store=store).close()
    monkeypatch.delenv("OPENAI_API_KEY")
    code, out, err = command("resume", "1", "--store", store)
    assert (code, out) == (2, "")
    assert "openai:m needs a key: set OPENAI_API_KEY" in err
    with iv.open_run(1, store=store) as inv:
        assert (inv.status, inv.turn) == ("running", 0)


def test_a_paused_run_is_resumed(command: Command, docs: Path, store: str) -> None:
    """`resume` brings a run that was begun elsewhere to its end."""
    with iv.investigate("What pulls the sea?", web=f"corpus:{docs}", store=store, limits=iv.Limits.narrow()) as inv:
        inv.step()
        inv.pause()
    code, out, _ = command("resume", "1", "--store", store, "--json")
    assert (code, json.loads(out)["status"]) == (0, "completed")


def test_a_store_that_fails_exits_1(command: Command, docs: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk in the middle of a run: one sentence, exit 1, and the run goes on afterwards."""
    append, left = iv.Store.append, [6]

    def failing(self: iv.Store, *args: Any, **more: Any) -> None:
        left[0] -= 1
        if left[0] <= 0:
            raise iv.StoreError("the disk is full")
        append(self, *args, **more)

    monkeypatch.setattr(iv.Store, "append", failing)
    code, _, err = run_docs(command, docs, store, "--json")
    assert code == 1
    assert "the disk is full" in err
    assert "investigator resume 1" in err
    monkeypatch.undo()
    assert command("resume", "1", "--store", store, "--json")[0] == 0


def test_an_interrupt_exits_130_and_prints_how_to_resume(
    command: Command, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C during a run: exit 130, the resume command on stderr, the run paused."""
    model = iv.ScriptedModel([raising(KeyboardInterrupt())])
    monkeypatch.setattr("investigator.session_opening.open_model", lambda *_, **__: model)
    code, _, err = command("run", "What?", "--store", store)
    assert code == 130
    assert f"go on with: investigator resume 1 --store {store}" in err
    with iv.open_run(1, store=store) as inv:
        assert inv.status == "paused"


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_pauses_a_real_process(tmp_path: Path, how: signal.Signals) -> None:
    """SIGTERM is as good as Ctrl-C: the process ends with 130 and a store that can be resumed."""
    code = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background is born ignoring it
        "from investigator import cli, session_opening\n"
        "import investigator as iv\n"
        "def slow(request):\n"
        "    print('asked', flush=True)\n"
        "    time.sleep(300)\n"
        "session_opening.open_model = lambda *_, **__: iv.ScriptedModel([slow])\n"
        f"sys.exit(cli.main(['run', 'What?', '--store', {str(tmp_path / 'x.db')!r}]))\n"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "asked\n"
        begun = time.monotonic()
        child.send_signal(how)
        _, err = child.communicate(timeout=120)
    assert child.returncode == 130
    assert time.monotonic() - begun < 100
    assert "investigator resume 1" in err
    with iv.open_run(1, store=tmp_path / "x.db") as inv:
        assert inv.status == "paused"
        assert inv.verify() == []


def test_a_killed_run_is_resumed(command: Command, store: str) -> None:
    """What a dead process left behind is taken up by `resume`."""
    inv = begin(store, iv.ScriptedModel([raising(Killed())]), None)
    with pytest.raises(Killed):
        inv.step()
    code, _, err = command("resume", "1", "--store", store)
    assert (code, "give it again" in err) == (2, True)
    code, out, _ = command("resume", "1", "--store", store, "--model", "offline", "--web", "demo", "--json")
    assert (code, json.loads(out)["status"]) == (0, "completed")


def test_the_demo_shows_how_a_run_checks_itself(command: Command, store: str) -> None:
    """The demo ends well, says that its world is one, and tells of a refutation, a weakened claim and a gap."""
    code, out, err = command("demo", "--store", store)
    assert code == 0
    assert "the bundled demo world" in out
    _, _, told = out.partition("What happened on the way:")
    for word in ("Refuted: ", "Weakened: ", "Gap: q_"):
        assert word in told
    assert f"investigator verify 1 --store {store}" in told
    assert "turn" in err
    with iv.open_run(1, store=store) as inv:
        assert inv.state.run.objective == DEMO_OBJECTIVE
        assert inv.verify() == []


def test_one_thing_is_one(command: Command, store: str) -> None:
    """What is counted agrees with its noun: one turn of one token in the list and in what is shown."""
    reply = iv.Reply(text=REPORT, usage=iv.Usage(output_tokens=1))
    with begin(store, iv.ScriptedModel([reply]), TinyWeb()) as inv:
        inv.run(progress=False)
        assert inv.turn == 1
    assert re.search(r"\b1 turn\b", command("runs", "--store", store)[1])
    assert "after 1 turn, 1 token;" in command("show", "1", "--store", store)[1]


def test_a_terminal_gets_wrapped_text_and_a_file_markdown(
    command: Command, store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal no line is longer than it, and no backslash is shown; what is saved is Markdown."""
    asked = "Is it *true* that " + "the bridge is long and " * 30 + "old?"
    monkeypatch.setattr("shutil.get_terminal_size", lambda *_: os.terminal_size((60, 24)))
    told = command("run", asked, "--store", store, "--out", str(tmp_path / "r.md"), "--set", "max_iterations=9")[1]
    assert told == (tmp_path / "r.md").read_text() + "\n"
    assert told.startswith(r"# Is it \*true\* that the bridge")
    assert told.splitlines()[0].endswith("…")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    seen = command("show", "1", "--store", store)[1]
    lines = seen.splitlines()
    assert "Is it *true* that the bridge" in seen
    assert "\\" not in seen
    assert "Summary" in lines
    assert [one for one in lines if len(one) > 60 and " " in one.strip().removeprefix("- ")] == []


def test_output_cannot_steer_a_terminal(command: Command, store: str) -> None:
    """Escape sequences of a page or a model are not printed."""
    with begin(store, iv.ScriptedModel([iv.Reply(text=f"\x1b]0;owned\x07{REPORT}\x9b31m\u202e")]), TinyWeb()) as inv:
        inv.run(progress=False)
    out = command("show", "1", "--store", store)[1]
    assert REPORT in out
    assert not set("\x1b\x07\x9b\u202e") & set(out)


def test_a_reader_that_goes_away_does_not_hurt(tmp_path: Path) -> None:
    """`investigator show | head -1` ends with what the command itself says, without a traceback."""
    with begin(tmp_path / "x.db", iv.ScriptedModel([iv.Reply(text="A sentence of the report.\n\n" * 20_000)])) as inv:
        inv.run(progress=False)
    shown = [sys.executable, "-m", "investigator", "show", "1", "--store", str(tmp_path / "x.db")]
    with subprocess.Popen(shown, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.readline()
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs the device that is always full")
def test_a_store_is_never_written_over(command: Command, tmp_path: Path) -> None:
    """A report or a log under the store's name would lose every run in it."""
    store = tmp_path / "x.db"
    with begin(store, reporting()) as inv:
        inv.run(progress=False)
    for words in (
        ("export", "1", "--store", str(store), "--out", str(store)),
        ("export", "1", "--store", str(store), "--out", f"{store}-wal"),
        ("demo", "--store", str(store), "--out", str(store)),
    ):
        code, _, said = command(*words)
        assert code == 2
        assert "is a database and may hold runs; name another file to write to" in said
    assert command("verify", "1", "--store", str(store))[0] == 0


def test_output_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """A full disk below stdout: one sentence, exit 1, no traceback."""
    with begin(tmp_path / "x.db", reporting()) as inv:
        inv.run(progress=False)
    shown = [sys.executable, "-m", "investigator", "show", "1", "--store", str(tmp_path / "x.db")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(shown, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "the output cannot be written" in done.stderr


def test_help_and_version_exit_0(command: Command) -> None:
    """Both are answers, no mistakes."""
    assert command("--help")[0] == 0
    assert command("run", "--help")[0] == 0
    assert command("--version")[1] == f"investigator {iv.__version__}\n"


def test_a_report_that_cannot_be_saved_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says where the report still is."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(iv.InvestigatorError, match=r"No space left on device.*the report is in the store"):
        cli_output.save(str(tmp_path / "x.md"), "text")


def test_the_commands_are_those_that_are_offered() -> None:
    """Every command of the parser has a function, and the other way round."""
    from investigator.cli_commands import COMMANDS

    assert session.verify is iv.verify
    assert set(COMMANDS) == {"demo", "run", "runs", "show", "resume", "fork", "verify", "export"}
