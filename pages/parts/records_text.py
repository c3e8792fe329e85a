"""Record view: two texts side by side with what changed and what leaks marked, safely.

Every character of a record reaches the page through `html.escape`; the only markup is ours. Nothing is
told by colour alone: what was removed is struck through, what was added is bold and underlined, what leaks
has a dotted line under it and the attribute's name behind it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import streamlit as st

from ctxpriv.privatize.anon.episode import Episode, Round
from ctxpriv.word_diff import Segment, readability, share_changed, word_diff
from pages.parts.text import count, plain

# Transparent tints lie well on a light and on a dark page.
STYLE = """<style>
.record { white-space: pre-wrap; overflow-wrap: anywhere; line-height: 1.65; unicode-bidi: isolate; }
.record del { background: rgba(200, 70, 40, 0.20); text-decoration: line-through; }
.record ins { background: rgba(20, 140, 100, 0.22); font-weight: 600; text-decoration: underline; }
.record .leak { border-bottom: 3px dotted #D9822B; }
.record .leaks { font-size: 0.72em; font-weight: 600; vertical-align: super; white-space: nowrap;
  border: 1px solid #D9822B; border-radius: 3px; padding: 0 0.25em; margin-left: 0.15em; }
</style>"""


def beside(episode: Episode, now: Round) -> None:
    """Original and rewrite of one round; round 0 is the original alone."""
    original = episode.rounds[0]
    st.html(STYLE)
    if now.number == 0:
        with st.container(border=True):
            st.markdown("**Original**, with what the evaluator found in it")
            st.html(marked([Segment("same", original.text)], original.spans))
        return
    left, right = st.columns(2, gap="medium")
    segments = word_diff(original.text, now.text) if not now.failure else (Segment("same", original.text),)
    with left, st.container(border=True):
        st.markdown("**Original**")
        st.html(marked([s for s in segments if s.kind != "added"], original.spans))
    with right, st.container(border=True):
        st.markdown(f"**Rewrite of round {now.number}**" + (", chosen" if now == episode.released else ""))
        if now.failure:
            st.warning(f"There is no usable rewrite in this round: {plain(now.failure)}.")
        else:
            st.html(marked([s for s in segments if s.kind != "removed"], now.spans))
    if not now.failure:
        st.caption(_told(original.text, now.text))


def _told(original: str, rewrite: str) -> str:
    seen = readability(original, rewrite)
    if not seen.runs:
        return "Nothing was changed."
    return (
        f"{share_changed(original, rewrite):.0%} of the words changed, in {count(seen.runs, 'place')} "
        f"(median length {seen.median_run:g} words, old and new together). "
        f"Readability of the changes {seen.score:.2f} (1: untouched, 0: written anew)."
    )


def marked(segments: Sequence[Segment], spans: Mapping[str, Sequence[str]]) -> str:
    """HTML that shows exactly the text of `segments`, changed ones marked, `spans` (attribute to
    substrings) underlined wherever they stand."""
    text = "".join(s.text for s in segments)
    leaks = _places(text, spans)
    cuts = {0, len(text)} | {edge for start, end, _ in leaks for edge in (start, end)}
    kind_at, at = [], 0
    for segment in segments:
        cuts.add(at)
        kind_at.append((at, segment.kind))
        at += len(segment.text)
    edges = sorted(cuts)
    pieces = []
    for start, end in zip(edges, edges[1:], strict=False):
        kind = [k for begins, k in kind_at if begins <= start][-1]
        names = [name for s, e, name in leaks if s <= start < e]
        ended = [name for s, e, name in leaks if e == end]
        pieces.append(_piece(text[start:end], kind, names, ended))
    return f'<div class="record" dir="auto">{"".join(pieces)}</div>'


def _piece(text: str, kind: str, names: Sequence[str], ended: Sequence[str]) -> str:
    shown = html.escape(text)
    if kind != "same":
        tag = "del" if kind == "removed" else "ins"
        shown = f"<{tag}>{shown}</{tag}>"
    if names:
        shown = f'<span class="leak" title="{html.escape(", ".join(names))}">{shown}</span>'
    return shown + "".join(f'<span class="leaks">{html.escape(name)}</span>' for name in ended)


def _places(text: str, spans: Mapping[str, Sequence[str]]) -> list[tuple[int, int, str]]:
    """(start, end, attribute) of each place where a span stands, without those inside another of the
    same attribute."""
    found = set()
    for name, parts in spans.items():
        for part in parts:
            at = text.find(part) if part else -1
            while at >= 0:
                found.add((at, at + len(part), name))
                at = text.find(part, at + len(part))
    return sorted(a for a in found if not any(_within(a, b) for b in found))


def _within(a: tuple[int, int, str], b: tuple[int, int, str]) -> bool:
    return a != b and a[2] == b[2] and b[0] <= a[0] and a[1] <= b[1]
