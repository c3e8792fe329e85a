"""The part of Compare that only rewritten records have: what adversaries read, what was kept."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ctxpriv import figures
from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.evaluate.attacks.attack import TITLES, Attack
from ctxpriv.evaluate.metric import Metric
from ctxpriv.evaluate.report import REWRITING
from ctxpriv.outputs import survivors_sentence
from pages.parts import charts, shell
from pages.parts.text import count, plain

LESS = ("added_facts", "share_changed", "withheld", "survivors")
"""Rewriting figures of which less is better; of the others, more."""


def panel(comparison: Comparison, audience: str, runs: Sequence[RunResult]) -> None:
    """Adversaries that read the released texts, and what the rewriting kept, changed and added."""
    st.subheader("Attacks after the fact", anchor=False)
    names = figures.attack_names(comparison, audience)
    if names:
        pictures(comparison, audience, names)
        attack_table(runs)
    else:
        st.caption("No release of this audience was attacked: nothing is private, or nobody can attack.")
    st.subheader("What rewriting kept and changed", anchor=False)
    rewriting_table(runs)


def pictures(comparison: Comparison, audience: str, names: list[str]) -> None:
    wanted = shell.kept("compare_attack", names[0])
    name = st.segmented_control(
        "Adversary",
        names,
        key=f"attack_{audience}",
        format_func=lambda n: plain(TITLES.get(n, n)),
        required=True,
        default=wanted if wanted in names else names[0],
    )
    shell.keep("compare_attack", name)
    found = [a for run in comparison.rewritten(audience) for a in run.report.attacks if a.name == name]
    caveats(found)
    dark = charts.dark()
    left, right = st.columns([3, 2], gap="medium")
    with left:
        charts.altair(
            figures.attack_marks(comparison, audience, name, dark=dark, width=400),
            "attack_marks",
            "Private values named, per attribute. " + "; ".join(_told(a) for a in found),
        )
    with right:
        charts.altair(
            figures.protection_bought(comparison, audience, name, dark=dark, width=330),
            "protection_bought",
            "Public values still told against private values named, per method.",
        )


def caveats(found: Sequence[Attack]) -> None:
    """What keeps these figures from being believed too much."""
    if any(a.same_as_evaluator for a in found):
        st.info(
            "This adversary is the very model that judged the texts while they were rewritten. The "
            "rewriting went on until this judge found nothing, so its leak is too low: compare it with "
            "another adversary."
        )
    if any(a.misled for a in found):
        st.info(
            "This adversary does worse than one who never reads. It was led astray, which is not the same as "
            "being told nothing: whoever knows that does as well as the majority at least."
        )
    if any(a.by_stand_in for a in found):
        st.info("This adversary is the small embedded model. It cannot infer much: a low leak says little.")
    unread = sum(a.unknown for a in found)
    if unread:
        st.caption(
            f"{count(unread, 'answer')} of this adversary could not be read. They are left out of every "
            "share and are no evidence of safety."
        )


def attack_table(runs: Sequence[RunResult]) -> None:
    rows = [_attack_row(run, attack) for run in runs for attack in run.report.attacks]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="attacks", placeholder="–")
    st.caption(
        "Leak: how often the private value of a record is named, the mean over private attributes. Majority: "
        "the same without reading, always the most common value. Originals: the same adversary on the texts "
        "before rewriting. Advantage removed: the share of (originals − majority) that the rewriting took "
        "away. When useful: over records that kept their label and all public values. The adversary who "
        "knows other released records learns from their true values what the classifier's answers mean."
    )
    per = [
        {
            "method": run.method,
            "adversary": attack.title,
            "attribute": name,
            "leak": row.get("accuracy"),
            "majority": row.get("majority"),
            "originals": row.get("unprotected"),
            "advantage": row.get("advantage"),
            "records": row.get("n"),
            "not stated": row.get("not_stated"),
            "unread answers": row.get("unknown"),
        }
        for run in runs
        for attack in run.report.attacks
        for name, row in attack.per_attribute.items()
    ]
    with st.expander("Per attribute"):
        st.dataframe(pd.DataFrame(per), hide_index=True, key="attacks_per_attribute", placeholder="–")


def _attack_row(run: RunResult, attack: Attack) -> dict[str, object]:
    return {
        "method": run.method,
        "adversary": attack.title,
        "played by": attack.who.get("name", ""),
        "leak": cell(attack.leak),
        "majority": cell(attack.majority, False),
        "originals": cell(attack.unprotected, False),
        "advantage": cell(attack.advantage),
        "advantage removed": _share_removed(attack.removed),
        "leak when useful": cell(attack.leak_when_useful),
        "guesses": attack.guesses,
        "records": attack.n,
        "unread answers": attack.unknown,
        "same as evaluator": "yes" if attack.same_as_evaluator else "no",
    }


def _share_removed(removed: float | None) -> str:
    """ "all" from 100 % on: below the majority there is nothing more to take away."""
    if removed is None:
        return "–"
    return "all" if removed >= 1 else f"{removed:.0%}"


def rewriting_table(runs: Sequence[RunResult]) -> None:
    columns: dict[str, list[str]] = {
        "figure": [
            f"{words}, {'less' if name in LESS else 'more'} is better" for name, words in REWRITING.items()
        ]
    }
    none = Metric.not_computed("not measured")
    for run in runs:
        columns[run.method] = [cell(run.report.rewriting.get(name, none)) for name in REWRITING]
    st.dataframe(pd.DataFrame(columns), hide_index=True, key="rewriting")
    readers = dict.fromkeys(
        str(m.detail["reader"])
        for run in runs
        for m in run.report.rewriting.values()
        if m.detail.get("reader")
    )
    for reader in readers:
        st.caption(f"What is still told was read from original and rewrite alike by: {plain(reader)}.")
    for run in runs:
        why = run.report.rewriting.get("withheld", none).detail.get("why") or {}
        if why:
            told = ", ".join(f"{reason} ({n})" for reason, n in why.items())
            st.caption(f"{plain(run.method)} withheld: {plain(told)}.")


def warn_of_survivors(run: RunResult) -> None:
    """Before a bundle is made: private values that stand in released texts, whatever a model said."""
    if standing := survivors_sentence(run):
        st.warning(f"{plain(standing)} Look at them on the Records page before you export.")


def cell(metric: Metric, span: bool = True) -> str:
    """A figure with its interval, or why there is none."""
    if metric.value is None:
        return f"not computed: {metric.missing}"
    if not span or metric.low is None or metric.high is None:
        return f"{metric.value:.3f}"
    return f"{metric.value:.3f} ({metric.low:.3f} to {metric.high:.3f})"


def _told(attack: Attack) -> str:
    return f"leak {cell(attack.leak, False)}, originals {cell(attack.unprotected, False)}"
