"""From what a person asks for to what a run needs: objective, limits, model, web, store. Everything is checked here.

Knows the names that are written into a run, and how they are read again. Nothing is written while checking.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from investigator.core.blocks import counted, one_line
from investigator.core.limits import Limits
from investigator.core.state import Run
from investigator.core.vocab import Loop
from investigator.core.wire import WorldFacts
from investigator.errors import LimitError, UnknownName, UsageError
from investigator.world.models import open_model
from investigator.world.protocols import Model, Web
from investigator.world.search import open_web

if TYPE_CHECKING:
    from investigator.store import Store

LONGEST_OBJECTIVE = 20_000
_OBJECT = "object"  # in a run's options: not given by name, so it must be given again
_FREE = ("offline",)
_KEY = "OPENAI_API_KEY"  # the variable of the environment; its value is never kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A model and a web, and how the run's row names them. ``options`` say which were objects."""

    model: Model
    web: Web
    model_name: str
    web_name: str
    options: Mapping[str, str] = field(default_factory=dict)


def objective_of(text: object) -> str:
    """The objective, or `UsageError`."""
    if not isinstance(text, str) or not text.strip():
        raise UsageError("the objective is empty; say in a sentence what is to be found out")
    if not any(one.isalnum() for one in text):  # marks and characters that nobody sees are nothing to ask
        raise UsageError("the objective has no word in it; say in a sentence what is to be found out")
    if len(text) > LONGEST_OBJECTIVE:
        raise UsageError(
            f"the objective has {counted(len(text), 'character')}, at most {LONGEST_OBJECTIVE:,} are taken;"
            " ask in fewer words and give the material as a corpus"
        )
    return text.strip()


def loop_of(name: object) -> Loop:
    """The loop of that name, or `UnknownName`."""
    if name not in tuple(Loop):
        raise UnknownName(f"there is no loop {str(name)[:80]!r}; choose {' or '.join(Loop)}")
    return Loop(str(name))


def limits_of(given: Limits | Mapping[str, Any] | None, before: Limits | None = None) -> Limits:
    """Limits as given: a value, a mapping of what differs from ``before``, or None."""
    if isinstance(given, Limits):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise LimitError(f"limits are a Limits value or a mapping of names to values, not {type(given).__name__}")
    return (before or Limits()).replace(**{str(name): value for name, value in (given or {}).items()})


def move_of(given: object) -> tuple[str, dict[str, Any]]:
    """A person's move as a tool and its arguments, or `UsageError`."""
    if isinstance(given, tuple | list) and len(given) == 2:
        tool, arguments = given
        if isinstance(tool, str) and isinstance(arguments, Mapping) and all(isinstance(one, str) for one in arguments):
            return tool, dict(arguments)
    raise UsageError('a move is a tool and its arguments, like ("notes_scratch", {"text": "..."})')


def given(model: object, web: object, base_url: str | None = None) -> Given:
    """Open what a new run works with.

    Raises:
        UnknownName, UsageError: it cannot be opened.
    """
    if base_url is not None:
        _check_base_url(model, base_url)
    opened = _opened(model, base_url)
    name = web_name(web)
    world = open_web(name if isinstance(web, str) else web)
    options = {"model": _how(model), "web": _how(web), "base_url": base_url or "", **prices(opened)}
    return Given(model=opened, web=world, model_name=opened.name, web_name=name, options=options)


def again(run: Run, model: object, web: object, base_url: str | None = None) -> Given:
    """Open what a stored run works with; what is given here takes the place of what it was started with.

    Raises:
        UsageError: the run was started with an object, which no name can bring back.
    """
    if model is None and run.options.get("model") == _OBJECT:
        raise UsageError(f"this run was started with a model object ({run.model}); give it again with model=")
    if web is None and run.options.get("web") == _OBJECT:
        raise UsageError(f"this run was started with a web object ({run.web}); give it again with web=")
    if model is None and base_url is None:
        base_url = run.options.get("base_url") or None  # it is called without a key: a key is never stored
    return given(run.model if model is None else model, run.web if web is None else web, base_url)


def replaced(held: Given, model: object, web: object) -> Given:
    """What a fork works with: what its parent holds, but for what is given here."""
    if model is not None and model is not held.model:
        opened = _opened(model)
        options = {**held.options, "model": _how(model), "base_url": "", **prices(opened)}
        held = replace(held, model=opened, model_name=opened.name, options=options)
    if web is not None and web is not held.web:
        name = web_name(web)
        world = open_web(name if isinstance(web, str) else web)
        held = replace(held, web=world, web_name=name, options={**held.options, "web": _how(web)})
    return held


def _opened(model: object, base_url: str | None = None) -> Model:
    """The model that is meant; `UsageError` when its first call could only fail for want of a key."""
    opened = open_model(model, base_url=base_url)
    if isinstance(model, str) and model.startswith("openai:") and base_url is None and not os.environ.get(_KEY):
        raise UsageError(
            f"{one_line(opened.name, 80)} needs a key: set {_KEY}, name a server of your own with a base url,"
            " or use the offline model"
        )
    return opened


def facts_of(web: Web) -> WorldFacts:
    """What a world says of itself, or `UsageError`."""
    try:
        found = web.facts()
    except UsageError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise UsageError(f"the web {web_name(web)} fails to say what it holds: {why}") from error
    if not isinstance(found, WorldFacts):
        raise UsageError(f"facts() of the web {web_name(web)} returned a {type(found).__name__}, not WorldFacts")
    return found


def prices(model: Model) -> dict[str, str]:
    """USD per million tokens, from which the machine reserves the cost of a call; '' where none is known."""
    price = getattr(model, "price", None)
    return {f"price_{one}": str(getattr(price, one)) if price is not None else "" for one in ("input", "output")}


def _how(asked: object) -> str:
    return "" if asked is None or isinstance(asked, str) else _OBJECT


def check_cost(limits: Limits, model: Model) -> None:
    """A cost limit that nothing could be checked against is refused."""
    if limits.max_cost_usd is None or model.name in _FREE or getattr(model, "price", None) is not None:
        return
    raise UsageError(
        f"max_cost_usd is set, but the price of {model.name} is not known;"
        " give a model with price=Price(input=..., output=...), or limit max_total_tokens instead"
    )


def web_name(web: object) -> str:
    """How a run's row names a web: a name that opens it again from any folder, or the name of an object.

    >>> web_name(None), web_name("wikipedia"), web_name("corpus:/tmp/../docs")
    ('demo', 'wikipedia', 'corpus:/docs')
    """
    if web is None:
        return "demo"
    if not isinstance(web, str):
        return str(getattr(web, "name", type(web).__name__))
    kind, _, rest = web.partition(":")
    return f"corpus:{os.path.abspath(Path(rest).expanduser())}" if kind == "corpus" and rest else web


def open_store(where: Store | str | os.PathLike[str] | None, must_exist: bool = False) -> Store:
    """The store that is meant. ``must_exist``: a file that is not there is an error instead of a new store."""
    if must_exist:
        found = find_store(where)
        if found is None:
            raise UsageError("there are no runs yet; start one, or name the store that holds them")
        return found
    from investigator.store import Store

    return where if isinstance(where, Store) else Store(_place(where))


def find_store(where: Store | str | os.PathLike[str] | None) -> Store | None:
    """A store that exists; None: nobody has begun the one in the user's data folder yet.

    Raises:
        UsageError: a store was named and is not there.
    """
    from investigator.store import Store
    from investigator.store.database import locate

    if isinstance(where, Store):
        return where
    url = locate(_place(where))
    file = url.database if url.get_backend_name() == "sqlite" else None
    if file and file != ":memory:" and not file.startswith("file:") and not _exists(Path(file)):
        if where is None:
            return None
        raise UsageError(f"there is no store at {file}; check the path, or start a run there first")
    return Store(_place(where))


def _exists(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:  # its name is too long, or its folder may not be looked into; opening it will tell which
        return True


def _place(where: object) -> str | None:
    if where is None or isinstance(where, str):
        return where
    if isinstance(where, os.PathLike):
        return str(os.fspath(where))
    raise UsageError(f"a store is a path, a database url or a Store, not a {type(where).__name__}")


def _check_base_url(model: object, base_url: object) -> None:
    if not isinstance(base_url, str):
        raise UsageError(f"a base url is a text like http://localhost:11434/v1, not a {type(base_url).__name__}")
    if not isinstance(model, str) or not model.startswith("openai:"):
        raise UsageError("a base url belongs to a model openai:NAME; name the model, or leave the base url out")
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and base_url.isprintable()
        valid = valid and parts.port != 0  # reading it raises where it is no port
        secret = parts.username is not None or parts.password is not None
    except ValueError:
        valid = secret = False
    if not valid:
        raise UsageError(f"{base_url[:200]!r} is no base url; write one like http://localhost:11434/v1")
    if secret:
        raise UsageError("a base url is stored with the run and must not hold a password; give the key to the model")
