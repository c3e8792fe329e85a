"""Colours, shapes and text of every chart, in light and dark.

Backgrounds are transparent, so charts sit on any page; text and grid colours come from
`Theme`. Nothing is told by colour alone: every method has its own shape as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import altair as alt

FONT = "'Source Sans', 'Source Sans 3', 'Source Sans Pro', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
UNKNOWN = "#8A8F9C"  # a method in an old file that this version does not know


@dataclass(frozen=True)
class Theme:
    text: str
    muted: str
    grid: str
    strong: str  # fill of private cells and single-series bars
    on_strong: str  # text on `strong`
    warning: str  # outline of what a reviewer changed
    lift: float  # 0..1: how far method colours are mixed with white


LIGHT = Theme("#262730", "#5F6470", "#D5D8DF", "#1F4E79", "#FFFFFF", "#B34700", 0.0)
DARK = Theme("#F2F3F5", "#A9AFBC", "#3C414D", "#8CC4EE", "#10151C", "#FFB454", 0.3)


def theme(dark: bool) -> Theme:
    return DARK if dark else LIGHT


def ordered(methods: Iterable[str]) -> list[str]:
    """Registry order, then unknown ones by name: so a method keeps its place in every chart."""
    from ctxpriv.privatize.registry import METHODS

    known, given = list(METHODS), set(methods)
    return [m for m in known if m in given] + sorted(given - set(known))


def colour(method: str, dark: bool) -> str:
    """The method's fixed colour, lightened on dark pages so that thin lines stay legible."""
    from ctxpriv.privatize.registry import METHODS

    base = METHODS[method].colour if method in METHODS else UNKNOWN
    lift = theme(dark).lift
    parts = [int(base[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(p + (255 - p) * lift):02X}" for p in parts)


def shape(method: str) -> str:
    """The method's fixed shape: its place in the registry."""
    from ctxpriv.privatize.registry import METHODS

    return SHAPES[list(METHODS).index(method) % len(SHAPES)] if method in METHODS else SHAPES[-1]


def with_alpha(hex_colour: str, alpha: float) -> str:
    red, green, blue = (int(hex_colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def epsilon_text(epsilon: float | None) -> str:
    """ "∞", "0.5", "10"; "none" for methods without a formal guarantee."""
    if epsilon is None:
        return "none"
    return "∞" if math.isinf(epsilon) else f"{epsilon:g}"


def heading(audience: str, epsilon: float | None) -> str:
    """The title of a chart of one family: synthetic records at one ε, or rewritten ones."""
    return f"{audience}, rewritten records" if epsilon is None else f"{audience}, ε = {epsilon_text(epsilon)}"


def number_text(value: float | None) -> str:
    return "–" if value is None or math.isnan(value) else f"{value:.3f}"


def dressed(chart: Any, dark: bool) -> Any:
    """An Altair chart with transparent background and the theme's text and grid."""
    t = theme(dark)
    return (
        chart.configure(background="transparent", font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=t.text,
            titleColor=t.muted,
            gridColor=t.grid,
            domainColor=t.grid,
            tickColor=t.grid,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=260,
        )
        .configure_legend(
            labelColor=t.text, titleColor=t.muted, labelFontSize=12, titleFontSize=12, symbolSize=90
        )
        .configure_title(
            color=t.text, subtitleColor=t.muted, fontSize=14, anchor="start", subtitleFontSize=12
        )
        .configure_header(labelColor=t.text, titleColor=t.muted)
    )


def method_scales(methods: list[str], dark: bool) -> tuple[alt.Color, alt.Shape]:
    """Colour and shape channels of the field `method`, sharing one legend on top."""
    legend = alt.Legend(orient="top", title=None, symbolOpacity=1) if methods else None
    return (
        alt.Color(
            "method:N",
            scale=alt.Scale(domain=methods, range=[colour(m, dark) for m in methods]),
            legend=legend,
        ),
        alt.Shape(
            "method:N", scale=alt.Scale(domain=methods, range=[shape(m) for m in methods]), legend=legend
        ),
    )
