"""Drawing the figures of `ctxpriv.figures` in the page's own light or dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ctxpriv.figures import PLOTLY_CONFIG


def dark() -> bool:
    """Whether the browser shows the dark theme; charts then take their dark colours."""
    return st.context.theme.type == "dark"


def altair(chart: Any, key: str, alt: str) -> None:
    """The chart in its own size, in its own colours; `alt` tells it in words."""
    # Without this Streamlit squeezes title and axes into the height that was meant for the bars.
    chart = chart.properties(autosize={"type": "pad", "contains": "content"})
    st.altair_chart(chart, key=key, alt=alt, theme=None, width="content")


def plotly(figure: Any, key: str, alt: str) -> None:
    st.plotly_chart(figure, key=key, alt=alt, theme=None, config=PLOTLY_CONFIG)


def remembered(place: str, draw: Callable[[bool], Any], key: str, alt: str) -> None:
    """As `altair`, for a chart that is the same whenever `place` is: drawn up once, not at every rerun."""
    st.vega_lite_chart(spec=_spec(place, dark(), draw), key=key, alt=alt, theme=None, width="content")


@st.cache_resource(show_spinner=False, max_entries=64)
def _spec(place: str, in_dark: bool, _draw: Callable[[bool], Any]) -> dict[str, Any]:
    chart = _draw(in_dark).properties(autosize={"type": "pad", "contains": "content"})
    return chart.to_dict()


def pickable(
    place: str, draw: Callable[[bool], Any], key: str, alt: str, selection: str
) -> list[dict[str, Any]]:
    """As `remembered`; gives what the point selection `selection` of the chart holds, [] for nothing."""
    event = st.vega_lite_chart(
        spec=_spec(place, dark(), draw),
        key=key,
        alt=alt,
        theme=None,
        width="content",
        on_select="rerun",
        selection_mode=selection,
    )
    return list(event["selection"].get(selection) or [])
