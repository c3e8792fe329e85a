"""Charts to files, offline: HTML with the scripts inside, SVG and PNG without a browser."""

from __future__ import annotations

from typing import Any

import altair as alt
import plotly.graph_objects as go

from ctxpriv.errors import BadInput

Figure = go.Figure | alt.TopLevelMixin


def to_html(figure: Any) -> str:
    """One page that needs no network (about 5 MB for Plotly, 1 MB for Altair)."""
    if isinstance(figure, go.Figure):
        from ctxpriv.charts.radar import PLOTLY_CONFIG

        return figure.to_html(include_plotlyjs=True, full_html=True, config=PLOTLY_CONFIG)
    return figure.to_html(inline=True)


def to_svg(chart: Any) -> str:
    """An Altair chart as SVG. A Plotly figure would need a browser: use `radar_still`."""
    import vl_convert

    return vl_convert.vegalite_to_svg(_spec(chart))


def to_png(chart: Any, scale: float = 2.0, background: str | None = None) -> bytes:
    """An Altair chart as PNG; `background` replaces the transparent one."""
    import vl_convert

    spec = _spec(chart)
    if background:
        spec["config"]["background"] = background
    return vl_convert.vegalite_to_png(spec, scale=scale)


def _spec(chart: Any) -> dict[str, Any]:
    if isinstance(chart, go.Figure):
        raise BadInput(
            "a Plotly figure is saved by its own mode bar, or as HTML.",
            where="export",
            fix="For the radar, draw radar_still.",
        )
    return chart.to_dict()
