"""Semantic plans as pictures: one release by rank, two releases side by side.

Plans with noise may be shown to whoever gets the release; plans without are the curator's. Labels are
drawn as text, whatever they hold.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import altair as alt
import pandas as pd

from ctxpriv.charts.theme import Theme, dressed, theme
from ctxpriv.privatize.spin.compare_plans import SAYS, Difference
from ctxpriv.privatize.spin.semantic_plan import INTERVAL, SemanticPlan

TALL = 42  # pixels an atom whose label stands above its bar
BELOW = 8  # pixels that a bar stands below the middle of its row
MOST = 20  # atoms in one comparison
TOPS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0)
"""Where the axis may end: few fixed places, so that plans at another ε or of another period can be compared
by eye."""


def plan_bars(
    plan: SemanticPlan,
    *,
    dark: bool = False,
    width: int = 300,
    highlighted: Collection[int] = (),
    top: float | None = None,
) -> alt.LayerChart:
    """Support by rank with each row's noise interval; hollow where that reaches down to zero.

    `highlighted`: atoms that stand out (those of one sentence). `top` is where the axis ends; without it,
    the first of `TOPS` that holds everything.
    """
    t = theme(dark)
    if not plan.rows:
        return dressed(_nothing("the release admits no atom", t, width), dark)
    frame = pd.DataFrame([_bar(row, plan, highlighted) for row in plan.rows])
    rule = None if plan.threshold is None else plan.threshold / plan.denominator
    x = _axis([*frame["low"], *frame["high"], *([] if rule is None else [rule])], top, _title(plan))
    # Labels can be long: above their bars they have the whole width.
    order = list(frame["name"])
    y = alt.Y("name:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=None)
    tips = [alt.Tooltip("label:N", title="atom"), alt.Tooltip("told:N", title="support")]
    tips += [alt.Tooltip("interval:N", title=f"{INTERVAL:.0%} of the noise")]
    layers: list[alt.Chart] = []
    for above in (True, False):
        own = frame[frame["above"] == above]
        if len(own):
            fill = {"color": t.strong} if above else {"filled": False, "stroke": t.muted, "strokeWidth": 1.4}
            mark = alt.Chart(own).mark_bar(height=14, yOffset=BELOW, **fill)
            layers.append(mark.encode(x=_at(x, "support"), x2="start:Q", y=y, opacity=_faded(), tooltip=tips))
    spans = alt.Chart(frame).mark_rule(color=t.warning, strokeWidth=2, yOffset=BELOW)
    layers.append(spans.encode(x=_at(x, "low"), x2="high:Q", y=y, opacity=_faded(), tooltip=tips))
    layers += _threshold(rule, order, x, y, t)
    words = alt.Chart(frame).mark_text(align="left", color=t.text, fontSize=12, limit=width + 90, yOffset=-9)
    told = alt.Chart(frame).mark_text(align="left", color=t.text, fontSize=12, yOffset=BELOW)
    layers += [
        words.encode(x=alt.value(0), y=y, text="name:N"),
        told.encode(x=alt.value(width + 8), y=y, text="told:N"),
    ]
    head = alt.TitleParams("What was released", subtitle=_plan_legend(plan, frame), offset=22)
    return dressed(alt.layer(*layers).properties(width=width, height=TALL * len(frame), title=head), dark)


def compared_plans(
    rows: Sequence[Difference],
    *,
    names: tuple[str, str] = ("first", "second"),
    dark: bool = False,
    width: int = 300,
) -> alt.LayerChart:
    """The two supports of each atom with their noise intervals: what differs by more than noise comes
    first, the largest difference on top; muted where the intervals overlap. Atoms that were not released
    in both are left out, and counted."""
    t = theme(dark)
    both = [d for d in rows if d.difference is not None]
    if not both:
        return dressed(_nothing("no atom was released in both", t, width), dark)
    ordered = sorted(both, key=_by_difference)[:MOST]
    frame = pd.DataFrame([row for place, d in enumerate(ordered) for row in _ends(d, place, names)])
    x = _axis([*frame["low"], *frame["high"]], None, "share of the public denominator")
    # Labels can be long: above their marks they have the whole width.
    order = list(dict.fromkeys(frame["name"]))
    y = alt.Y("name:N", sort=order, scale=alt.Scale(domain=order), title=None, axis=None)
    tips = [alt.Tooltip("label:N", title="atom"), alt.Tooltip("end:N", title="release")]
    tips += [alt.Tooltip("told:N", title="support"), alt.Tooltip("verdict:N", title="verdict")]
    joined = frame[frame["second"]].assign(other=list(frame[~frame["second"]]["support"]))
    rules = alt.Chart(joined).mark_rule(strokeWidth=3, color=t.grid, strokeCap="round", yOffset=BELOW)
    layers = [rules.encode(x=_at(x, "support"), x2="other:Q", y=y)]
    for second, form in ((False, "circle"), (True, "diamond")):
        for differs, ink in ((True, t.strong if second else t.warning), (False, t.muted)):
            own = frame[(frame["second"] == second) & (frame["differs"] == differs)]
            if len(own):
                base, shift = alt.Chart(own), BELOW + (4 if second else -4)
                layers += [
                    base.mark_rule(strokeWidth=1.5, color=ink, yOffset=shift).encode(
                        x=_at(x, "low"), x2="high:Q", y=y
                    ),
                    base.mark_point(
                        filled=differs, shape=form, size=80, opacity=1, color=ink, strokeWidth=1.6,
                        yOffset=shift,
                    ).encode(x=_at(x, "support"), y=y, tooltip=tips),
                ]  # fmt: skip
    labels = alt.Chart(joined).mark_text(
        align="left", color=t.text, fontSize=12, limit=width + 90, yOffset=-12
    )
    words = alt.Chart(joined).mark_text(align="left", fontSize=12, color=t.text, yOffset=BELOW)
    layers += [
        labels.encode(x=alt.value(0), y=y, text="name:N"),
        words.encode(x=alt.value(width + 12), y=y, text="change:N"),
    ]
    head = alt.TitleParams("Two releases on the same atoms", subtitle=_pair_legend(rows, both, names))
    return dressed(alt.layer(*layers).properties(width=width, height=TALL * len(ordered), title=head), dark)


# ---- parts


def share_text(support: float) -> str:
    """ "12.3 %", with a real minus sign."""
    return f"{100 * support:.1f} %".replace("-", "−")


def points_text(difference: float) -> str:
    """ "+5.7 points": percentage points."""
    return f"{100 * difference:+.1f} points".replace("-", "−")


def _bar(row: Any, plan: SemanticPlan, highlighted: Collection[int]) -> dict[str, Any]:
    low, high = row.low / plan.denominator, row.high / plan.denominator
    return {
        "name": f"{row.rank}. {row.label}",
        "label": row.label,
        "support": row.support,
        "start": 0.0,
        "low": low,
        "high": high,
        "above": row.above_noise,
        "shown": not highlighted or row.atom in highlighted,
        "told": f"{share_text(row.support)}  {row.bin}",
        "interval": f"{share_text(low)} to {share_text(high)}",
    }


def _ends(d: Difference, place: int, names: tuple[str, str]) -> list[dict[str, Any]]:
    change = points_text(d.difference or 0.0) if d.told else d.verdict
    return [
        {
            "name": f"{place + 1}. {d.label}",
            "label": d.label,
            "end": name,
            "second": name_at == 1,
            "support": end.support,
            "low": end.low,
            "high": end.high,
            "told": f"{share_text(end.support)} ({share_text(end.low)} to {share_text(end.high)})",
            "differs": d.told,
            "verdict": SAYS[d.verdict],
            "change": change,
        }
        for name_at, (name, end) in enumerate(zip(names, (d.first, d.second), strict=True))
        if end is not None
    ]


def _by_difference(d: Difference) -> tuple[bool, float, int]:
    """Those that differ first, by how much; then the rest, by the larger support."""
    assert d.first is not None and d.second is not None
    size = abs(d.difference or 0.0) if d.told else max(d.first.support, d.second.support)
    return (not d.told, -size, d.atom)


def _threshold(rule: float | None, names: list[str], x: alt.X, y: alt.Y, t: Theme) -> list[alt.Chart]:
    """Beside each bar alone, for a line from top to bottom would strike the labels through."""
    if rule is None:
        return []
    frame = pd.DataFrame({"name": names, "support": rule, "word": f"admitted above {share_text(rule)}"})
    ticks = alt.Chart(frame).mark_tick(color=t.text, thickness=1.4, size=22, yOffset=BELOW, orient="vertical")
    word = alt.Chart(frame.head(1)).mark_text(color=t.text, align="left", dx=-2, fontSize=11)
    return [
        ticks.encode(x=_at(x, "support"), y=y),
        word.encode(x=_at(x, "support"), y=alt.value(-8), text="word:N"),
    ]


def _plan_legend(plan: SemanticPlan, frame: pd.DataFrame) -> list[str]:
    told = [f"thin rule: the noise stays within it in {INTERVAL:.0%} of releases, row by row"]
    if plan.law == "none":
        told = ["exact, without any noise: never part of a release"]
    if not frame["above"].all():
        told.append("▭ hollow: may be noise alone")
    if plan.law != "none" and plan.threshold is None and len(plan.rows) < len(plan.atoms):
        told.append("no threshold: only the masses of the admitted atoms were released")
    return told


def _pair_legend(rows: Sequence[Difference], both: Sequence[Difference], names: tuple[str, str]) -> list[str]:
    told = [
        f"● {names[0]}   ◆ {names[1]}; in points: what the {names[1]} has more (+) or less (−)",
        "hollow and grey: the noise intervals overlap, so we cannot tell",
    ]
    if len(both) > MOST:
        told.append(f"{len(both) - MOST} more are not drawn")
    if gone := len(rows) - len(both):
        told.append(f"{gone} not released in both")
    return told


def _title(plan: SemanticPlan) -> str:
    of = "records" if plan.unit == "record" else "users"
    return f"support: noisy mass / {plan.denominator:,} {of}"


def _axis(values: Sequence[float], top: float | None, title: str) -> alt.X:
    least = min(0.0, *values)
    end = top or next((p for p in TOPS if p >= max(values)), max(values))
    scale = alt.Scale(domain=[least, end], nice=False, clamp=True)
    form = ".0%" if end > 0.1 else ".1~%"
    return alt.X("support:Q", title=title, scale=scale, axis=alt.Axis(format=form, tickCount=5))


def _at(x: alt.X, field: str) -> alt.X:
    out = x.copy(deep=False)
    out.shorthand = f"{field}:Q"
    return out


def _faded() -> Any:
    return alt.condition("datum.shown", alt.value(1.0), alt.value(0.3))


def _nothing(words: str, t: Theme, width: int) -> alt.LayerChart:
    mark = alt.Chart(pd.DataFrame({"told": [words]})).mark_text(color=t.muted, fontStyle="italic")
    return alt.layer(mark.encode(text="told:N")).properties(width=width, height=60)
