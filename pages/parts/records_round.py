"""Record view: what the evaluators made of one round, guess by guess, and why the record ended as it did."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ctxpriv.matching import RULES
from ctxpriv.privatize.anon.episode import (
    CANCELLED,
    MODEL_FAILED,
    SAFE_AND_USEFUL,
    SAFE_SOME_LOST,
    UNSAFE,
    Decision,
    Episode,
    Round,
)
from ctxpriv.privatize.anon.summary import WITHHELD, RecordSummary
from pages.parts.text import count, duration, plain, table

STOPPED = {
    SAFE_AND_USEFUL: "It stopped because nothing leaks any more and nothing that had to stay was lost.",
    SAFE_SOME_LOST: "It stopped after the last round. The released round is safe, but some of what had to "
    "stay can no longer be told from it.",
    UNSAFE: "It stopped after the last round without a safe rewrite; the one that leaks least was chosen.",
    MODEL_FAILED: "It stopped because the model failed.",
    CANCELLED: "It was cut short when the run was cancelled.",
}


def ending(episode: Episode, summary: RecordSummary, *, released: bool) -> None:
    """How the record stands and why its rewriting stopped; `released`: whether the run has a release."""
    stopped = STOPPED.get(episode.stop, episode.stop)
    told = f"{stopped} It took {count(summary.rounds, 'round')} and {duration(episode.seconds)}."
    word = "Released" if released else "Chosen for release"
    if summary.standing == WITHHELD:
        why = f" ({plain(summary.why)})" if summary.why else ""
        st.warning(f"**Withheld: this record is not in the release**{why}. {plain(told)}")
    elif episode.safe:
        st.success(f"**{word} and safe** for the evaluator. {plain(told)}")
    else:
        st.error(f"**{word} although unsafe.** Still told: {plain(', '.join(summary.leaked))}. {plain(told)}")


def privacy(now: Round) -> None:
    """Every guess at what is private, held against the truth."""
    st.subheader("What the privacy evaluator guessed", anchor=False)
    rows = [(d.attribute, d.truth, d.guess or "–", _verdict(d), _why(d)) for d in now.privacy]
    rows += [(name, "", "–", "unknown", "No answer could be read: this is not safe.") for name in now.unknown]
    standing = [n for n in now.survivors if n not in now.leaked]
    rows += [(n, "", "–", "leaked", "The value stands in the text, whatever was guessed.") for n in standing]
    if rows:
        st.markdown(table(("attribute", "truth", "guess", "verdict", "rule that decided"), _grouped(rows)))
    else:
        st.caption("A failed round is not judged." if now.failure else "Nothing was guessed in this round.")
    if now.survivors:
        st.caption(f"Stands in the text as it is: {plain(', '.join(now.survivors))}.")


def _verdict(decision: Decision) -> str:
    return "leaked" if decision.matched else "partly told" if decision.credit > 0 else "not told"


def _why(decision: Decision) -> str:
    rule = RULES.get(decision.rule)
    return f"{decision.rule}: {rule.sentence}" if rule else decision.rule


def _grouped(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Attribute and truth only where they change, so that the guesses at one attribute read as a group."""
    out, last = [], ("", "")
    for row in sorted(rows, key=lambda r: [name for name, *_ in rows].index(r[0])):
        out.append(row if row[:2] != last else ("", "", *row[2:]))
        last = row[:2]
    return out


def utility(now: Round) -> None:
    """What had to stay inferable, and whether it did."""
    st.subheader("What had to stay", anchor=False)
    rows = [_kept(now, name, verdict) for name, verdict in _verdicts(now).items()]
    if rows:
        st.markdown(table(("attribute", "value", "guesses", "verdict", "rule that decided"), rows))
    else:
        st.caption("A failed round is not judged." if now.failure else "Nothing had to stay in this round.")
    if now.added:
        facts = "; ".join(f"{name}: {value}" for name, value in now.added)
        st.warning(f"**The rewrite says what the original does not.** {plain(facts)}")
    elif now.number and not now.failure:
        st.caption("The rewrite states no value of the schema that the original does not.")


def _verdicts(now: Round) -> dict[str, str]:
    """attribute -> kept, lost, ..., in that order."""
    sides = (
        ("lost", now.lost),
        ("unknown, counted as lost", now.unknown_utility),
        ("not told by the original either", now.untold),
        ("kept", now.kept),
    )
    return {name: verdict for verdict, names in sides for name in names}


def _kept(now: Round, name: str, verdict: str) -> tuple[str, str, str, str, str]:
    tried = [d for d in now.utility if d.attribute == name]
    decisive = next((d for d in tried if d.matched), tried[0] if tried else None)
    if decisive is None:
        return name, "", "–", verdict, "No answer could be read."
    return name, decisive.truth, "; ".join(d.guess or "–" for d in tried), verdict, _why(decisive)
