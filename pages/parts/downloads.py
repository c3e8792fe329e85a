"""What can be taken from the Compare page: the table, the pictures, the numbers, a release."""

from __future__ import annotations

import json
from collections.abc import Callable

import streamlit as st

from ctxpriv import figures
from ctxpriv.classify.checks.review import require_reasons
from ctxpriv.comparison import Comparison
from ctxpriv.errors import NotReleasable
from ctxpriv.files import make_folder
from ctxpriv.outputs import file_names
from ctxpriv.release_bundle import export_bundle
from ctxpriv.run_store import for_audience
from pages.parts import attacks, shell
from pages.parts.text import count, plain


def panel(key: str, comparison: Comparison, audience: str, epsilon: float | None) -> None:
    st.subheader("Take away", anchor=False)
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.markdown("**For the curator**")
        st.caption("Measured on private records: not for publication as it is.")
        row = st.container(horizontal=True)
        row.download_button(
            "Table, CSV",
            comparison.table().to_csv(index=False),
            "comparison.csv",
            "text/csv",
            key="csv",
            on_click="ignore",
        )
        row.download_button(
            "comparison.json",
            json.dumps(comparison.to_json_dict(), indent=1, ensure_ascii=False),
            "comparison.json",
            "application/json",
            key="json",
            on_click="ignore",
        )
        if epsilon is None:
            row.download_button(
                "Attacks, CSV",
                comparison.attacks().to_csv(index=False),
                "attacks.csv",
                "text/csv",
                key="attacks_csv",
                on_click="ignore",
            )
        pictures(comparison, audience, epsilon)
    with right, st.container(border=True):
        st.markdown("**For the audience**")
        with shell.guard():
            bundles(key, comparison, audience, epsilon)


def pictures(comparison: Comparison, audience: str, epsilon: float | None) -> None:
    """Files are made when asked for, since drawing one takes a second; on white, for print."""
    drawn: dict[str, Callable] = {
        "Radar": lambda: figures.radar_still(comparison, audience, epsilon),
        "Dumbbells": lambda: figures.dumbbells(comparison, audience, epsilon),
    }
    if epsilon is not None:
        drawn["Curves"] = lambda: figures.tradeoff(comparison, audience)
    elif names := figures.attack_names(comparison, audience):
        attack = shell.kept("compare_attack", names[0])
        attack = attack if attack in names else names[0]
        drawn["Attacks"] = lambda: figures.attack_marks(comparison, audience, attack)
        drawn["Cost"] = lambda: figures.protection_bought(comparison, audience, attack)
    interactive = {**drawn, "Radar": lambda: figures.radar(comparison, audience, epsilon)}
    place = "picture" if epsilon is not None else "picture_rewritten"  # a widget for each list of options
    which = st.segmented_control("Picture", list(drawn), default="Radar", key=place, required=True)
    makers: dict[str, Callable] = {
        "SVG": lambda: figures.to_svg(drawn[which]()),
        "PNG": lambda: figures.to_png(drawn[which](), background="#ffffff"),
        "HTML": lambda: figures.to_html(interactive[which]()),
    }
    row = st.container(horizontal=True)
    for kind, make in makers.items():
        row.download_button(
            kind, make, f"{which.lower()}.{kind.lower()}", key=f"picture_{kind}", on_click="ignore"
        )


def bundles(key: str, comparison: Comparison, audience: str, epsilon: float | None) -> None:
    st.caption(
        "A release bundle holds the released records and the card with the guarantee, and no metric. "
        "Exporting it is noted in the privacy ledger."
    )
    runs = {run.method: run for run in comparison.beside(audience, epsilon)}
    method = st.selectbox("Method", list(runs), key="bundle_method")
    run_id = runs[method].run_id
    stored = next((run for run in shell.workspace().runs(key) if run.run_id == run_id), None)
    if stored is None or stored.release is None:
        st.caption("This release is no longer in the workspace.")
        return
    release = for_audience(stored.release, comparison.audiences[audience])
    for sentence in release.guarantee.sentences():
        st.caption(plain(sentence))
    attacks.warn_of_survivors(runs[method])
    try:
        release.check_exportable()
    except NotReleasable as why:
        st.warning(plain(why))
        return
    folders, files = file_names(comparison)
    # The run's id, a digest of the records, tells folders apart here; the file's name goes outside.
    folder = shell.workspace().root / "exports" / run_id / folders[audience]
    path = folder / f"{files[audience, run_id]}.zip"
    if st.button("Make the release bundle", key="make_bundle"):
        # An approval of an earlier version may lack the reason that open warnings now ask for.
        require_reasons(shell.corpus(key), [release.partition])
        make_folder(path.parent)
        export_bundle(release, path, shell.workspace().ledger, run_id=run_id)
        shell.keep("bundle", str(path))
    if shell.kept("bundle", "") == str(path) and path.exists():
        st.download_button(
            "Download the bundle",
            path.read_bytes(),
            path.name,
            "application/zip",
            key="bundle",
            type="primary",
            on_click="ignore",
        )
    spent(key, comparison, release.guarantee.delta)


def spent(key: str, comparison: Comparison, delta: float) -> None:
    """What all released bundles of this corpus cost together; at δ = 1/n where this one has no δ."""
    delta = delta or 1 / max(2, comparison.corpus["n_private"])
    total = shell.workspace().ledger.total(comparison.corpus["digest"], delta)
    if total.caveat:
        st.caption(plain(total.caveat))
    if total.runs:
        st.caption(
            f"Released so far: {count(total.runs, 'release or schema', 'releases and schemas')} to "
            f"{plain(', '.join(total.audiences))}; together ε = {total.epsilon:.3g} at δ = {total.delta:.2g}."
        )
