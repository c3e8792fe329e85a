"""What every page shares: the way in, the open corpus, undo, and how errors are shown."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from ctxpriv.corpus import Corpus
from ctxpriv.errors import CtxprivError
from ctxpriv.jobs import JobRegistry
from ctxpriv.project import ProjectState
from ctxpriv.workspace import Workspace
from pages.parts.text import plain

BOOTED = "_booted"
WANTED = "_wanted_page"
OPEN_CORPUS = "_open_corpus"
NOTICE = "_notice"
_KEPT = "_kept_settings"

log = logging.getLogger("ctxpriv.app")


@contextmanager
def page(name: str, title: str, lead: str) -> Iterator[None]:
    """The frame of one page. Errors inside it become messages, never tracebacks.

    Until app.py has run once in a process, Streamlit runs a deep-linked page by itself;
    such a visit is sent through app.py and comes back here.
    """
    if not st.session_state.get(BOOTED):
        st.session_state[WANTED] = name
        st.switch_page("app.py")
    st.title(title, anchor=False)
    st.markdown(lead)
    if notice := st.session_state.pop(NOTICE, None):
        kind, text = notice
        {"success": st.success, "info": st.info, "error": st.error}[kind](plain(text))
    with guard():
        yield


@contextmanager
def guard() -> Iterator[None]:
    """Shows what goes wrong inside as one message (a fragment needs its own guard)."""
    try:
        yield
    except CtxprivError as error:
        st.error(plain(error))
    except MemoryError:
        st.error("There is not enough memory for this. Nothing was lost; try fewer records.")
    except OSError as error:
        # A full disk, a folder that cannot be written: the system's own words, without a path.
        st.error(
            f"The workspace could not be read or written: {plain(error.strerror or type(error).__name__)}. "
            "Finished work is kept."
        )
        log.error("workspace trouble: %s", type(error).__name__)
    except Exception as error:  # noqa: BLE001 - the last stop before the browser
        # The message of an unforeseen error may quote a record, so only its kind and place are told.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}, line {place.lineno}"
        st.error(
            f"Something unforeseen went wrong ({type(error).__name__} in {plain(where)}). "
            "Nothing that was finished is lost. Reload the page to go on."
        )
        log.error("unforeseen %s in %s", type(error).__name__, where)


@st.cache_resource(show_spinner=False)
def _workspace(root: str) -> Workspace:
    return Workspace(Path(root) if root else None)


@st.cache_resource(show_spinner=False)
def _jobs(root: str) -> JobRegistry:
    return JobRegistry(_workspace(root))


def workspace() -> Workspace:
    return _workspace(os.environ.get("CTXPRIV_WORKSPACE", ""))


def jobs() -> JobRegistry:
    return _jobs(os.environ.get("CTXPRIV_WORKSPACE", ""))


def notify(text: str, kind: str = "success") -> None:
    """Shown once at the top of the next run of a page; `kind` is success, info or error."""
    st.session_state[NOTICE] = (kind, text)


def open_corpus(key: str) -> None:
    """Make `key` the corpus that all pages speak of."""
    st.session_state[OPEN_CORPUS] = key


def open_key() -> str | None:
    """The key of the open corpus: the chosen one, else the one added last."""
    entries = workspace().corpora()
    keys = [e.key for e in entries]
    if st.session_state.get(OPEN_CORPUS) in keys:
        return st.session_state[OPEN_CORPUS]
    return max(entries, key=lambda e: e.added).key if entries else None


def sidebar(key: str | None) -> None:
    """Which corpus is open, and undo and redo of the edits to it."""
    entries = {e.key: e for e in workspace().corpora()}
    with st.sidebar:
        if key is None:
            st.caption("No corpus is open yet.")
            return
        chosen = st.selectbox(
            "Open corpus",
            list(entries),
            index=list(entries).index(key),
            key=f"open_{key}",
            format_func=lambda k: f"{entries[k].name} ({entries[k].n_records:,})",
        )
        if chosen != key:
            open_corpus(chosen)
            st.rerun()
        _undo_bar(key)


def _undo_bar(key: str) -> None:
    history, at = workspace().history(key), workspace().position(key)
    st.caption(f"Last change: {plain(history[at][1])}")
    left, right = st.columns(2)
    ways = (
        (left, "Undo", workspace().undo, at == 0),
        (right, "Redo", workspace().redo, at == len(history) - 1),
    )
    for column, label, act, at_end in ways:
        if column.button(label, key=label.lower(), width="stretch", disabled=at_end):
            with guard():
                undone = history[at if label == "Undo" else at + 1][1]
                act(key)
                bump()
                notify(f"{label}: {undone}")
                st.rerun()


def corpus_or_hint() -> tuple[str, Corpus, ProjectState]:
    """The open corpus and its state; without one, says what to do and stops the page."""
    key = open_key()
    sidebar(key)
    if key is None:
        st.info("No corpus is open yet. Choose a sample or upload a file on the Corpus page.")
        st.page_link("pages/corpus.py", label="Go to Corpus")
        st.stop()
    return key, corpus(key), workspace().state(key)


def corpus(key: str) -> Corpus:
    """The corpus as it is now. Read from disk once a version: corpora are never changed in place."""
    return _corpus(str(workspace().root), key, workspace().digest(key))


@st.cache_resource(show_spinner=False, max_entries=3)
def _corpus(root: str, key: str, digest: str) -> Corpus:
    return workspace().corpus(key)


def save_corpus(key: str, changed: Corpus, what: str) -> None:
    """A new version of the corpus, then the page anew; `what` is the entry in the history."""
    before = workspace().state(key)
    after = workspace().save_corpus(key, changed, what)
    lost = [name for name in before.approved if name not in after.approved]
    _told(what, lost, _without_buckets(before, after))
    bump()
    st.rerun()


def save_state(key: str, changed: ProjectState, what: str) -> None:
    """A new version of the decisions, then the page anew."""
    record_state(key, changed, what)
    bump()
    st.rerun()


def record_state(key: str, changed: ProjectState, what: str) -> None:
    """As `save_state`, for callbacks of widgets: the page is about to be drawn anyway."""
    before = workspace().state(key)
    after = workspace().save_state(key, changed, what)
    _told(what, [name for name in before.approved if name in after.partitions and name not in after.approved])


def _told(what: str, lost: list[str], withdrawn: Sequence[str] = ()) -> None:
    void = f" The approval for {', '.join(lost)} is void: look again and approve anew." if lost else ""
    notify(" ".join([f"{what}.{void}", *withdrawn]))


def _without_buckets(before: ProjectState, after: ProjectState) -> list[str]:
    """A sentence for each attribute that an audience got as its bucket and now does not get."""
    return [
        f"Without its buckets {attribute} is now private for {audience}."
        for audience, partition in before.partitions.items()
        for attribute in partition.coarsened
        if audience in after.partitions and attribute in after.partitions[audience].private
    ]


def finished_runs(key: str) -> list:
    """The finished runs of the corpus as it is now."""
    digest = workspace().digest(key)
    return [run for run in workspace().runs(key) if run.status == "done" and run.digest == digest]


def curator_only(what: str) -> None:
    """The badge on everything computed from private records without noise (DESIGN 4.7)."""
    st.badge(f"{plain(what)}: curator only, never part of a release", color="orange")


def bump() -> None:
    """Forget half-made edits in tables: their widgets are keyed with this number."""
    st.session_state["_version"] = version() + 1


def version() -> int:
    return st.session_state.get("_version", 0)


def kept(name: str, default: Any) -> Any:
    """A setting as it was when its page was left; Streamlit forgets widgets between pages."""
    return st.session_state.setdefault(_KEPT, {}).get(name, default)


def keep(name: str, value: Any) -> Any:
    st.session_state.setdefault(_KEPT, {})[name] = value
    return value


def all_kept() -> dict[str, Any]:
    """Every setting that was kept so."""
    return dict(st.session_state.setdefault(_KEPT, {}))


def forget_widgets_of_another(key: str, page_name: str, prefixes: tuple[str, ...]) -> None:
    """What was chosen for one corpus is no choice for the next: where another is open than when the page
    was drawn last, its widgets begin anew from what was kept for this one."""
    if kept(f"{page_name}/corpus", key) != key:
        for name in [n for n in st.session_state if str(n).startswith(prefixes)]:
            del st.session_state[name]
    keep(f"{page_name}/corpus", key)
