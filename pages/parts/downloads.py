"""What can be taken from the Compare page: the table, the pictures, the numbers, a release."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable

import streamlit as st

from ctxpriv import figures
from ctxpriv.comparison import Comparison
from ctxpriv.errors import NotReleasable
from ctxpriv.files import make_folder
from ctxpriv.release_bundle import export_bundle
from ctxpriv.run_store import for_audience
from pages.parts import shell
from pages.parts.text import count, plain

# The picture button of the radar saves SVG; nothing else of the tool bar is of use on a radar.
PLOTLY = {
    "displaylogo": False,
    "displayModeBar": True,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg", "filename": "radar"},
}


def panel(key: str, comparison: Comparison, audience: str, epsilon: float) -> None:
    st.subheader("Take away", anchor=False)
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        st.markdown("**For the curator**")
        st.caption("Measured on private records: not for publication as it is.")
        row = st.container(horizontal=True)
        row.download_button("Table, CSV", comparison.table().to_csv(index=False), "comparison.csv", "text/csv",
                            key="csv", on_click="ignore")
        row.download_button("comparison.json", json.dumps(comparison.to_json_dict(), indent=1, ensure_ascii=False),
                            "comparison.json", "application/json", key="json", on_click="ignore")
        pictures(comparison, audience, epsilon)
    with right, st.container(border=True):
        st.markdown("**For the audience**")
        with shell.guard():
            bundles(key, comparison, audience, epsilon)


def pictures(comparison: Comparison, audience: str, epsilon: float) -> None:
    """Files are made when asked for: each is drawn anew by a converter that takes a second."""
    drawn: dict[str, Callable] = {
        "Radar": lambda: figures.radar(comparison, audience, epsilon),
        "Dumbbells": lambda: figures.dumbbells(comparison, audience, epsilon),
        "Curves": lambda: figures.tradeoff(comparison, audience),
    }
    which = st.segmented_control("Picture", list(drawn), default="Radar", key="picture", required=True)
    formats = ["HTML"] if which == "Radar" else ["SVG", "PNG", "HTML"]
    row = st.container(horizontal=True)
    for kind in formats:
        name = f"{which.lower()}.{kind.lower()}"
        row.download_button(kind, lambda kind=kind: as_file(drawn[which](), kind), name, key=f"picture_{kind}",
                            on_click="ignore")
    if which == "Radar":
        st.caption("For SVG, use the camera above the radar itself.")


def as_file(figure, kind: str) -> bytes:
    """A chart as SVG, PNG (twice the screen's size) or one HTML file that needs no network."""
    if hasattr(figure, "to_plotly_json"):
        return figure.to_html(include_plotlyjs=True).encode()
    if kind == "HTML":
        return figure.to_html(inline=True).encode()
    if kind == "PNG":
        buffer = io.BytesIO()
        figure.save(buffer, format="png", scale_factor=2)
        return buffer.getvalue()
    text = io.StringIO()
    figure.save(text, format="svg")
    return text.getvalue().encode()


def bundles(key: str, comparison: Comparison, audience: str, epsilon: float) -> None:
    st.caption("A release bundle holds the released records and the card with the guarantee, and no metric. "
               "Exporting it is noted in the privacy ledger.")
    runs = {run.method: run for run in comparison.of(audience, epsilon)}
    method = st.selectbox("Method", list(runs), key="bundle_method")
    run_id = runs[method].run_id
    stored = next((run for run in shell.workspace().runs(key) if run.run_id == run_id), None)
    if stored is None or stored.release is None:
        st.caption("This release is no longer in the workspace.")
        return
    release = for_audience(stored.release, comparison.audiences[audience])
    for sentence in release.guarantee.sentences():
        st.caption(plain(sentence))
    try:
        release.check_exportable()
    except NotReleasable as why:
        st.warning(plain(why))
        return
    path = shell.workspace().root / "exports" / f"{slug(audience)}-{slug(method)}-{run_id[:8]}.zip"
    if st.button("Make the release bundle", key="make_bundle"):
        make_folder(path.parent)
        export_bundle(release, path, shell.workspace().ledger, run_id=run_id)
        shell.keep("bundle", path.name)
    if shell.kept("bundle", "") == path.name and path.exists():
        st.download_button("Download the bundle", path.read_bytes(), path.name, "application/zip", key="bundle",
                           type="primary", on_click="ignore")
    spent(key, comparison, release.guarantee.delta)


def spent(key: str, comparison: Comparison, delta: float) -> None:
    """What all released bundles of this corpus cost together."""
    total = shell.workspace().ledger.total(comparison.corpus["digest"], delta)
    if total.runs:
        st.caption(f"Released so far from this corpus: {count(total.runs, 'bundle')} to "
                   f"{plain(', '.join(total.audiences))}; together ε = {total.epsilon:.3g} at δ = {delta:.2g}.")


def slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "release"
