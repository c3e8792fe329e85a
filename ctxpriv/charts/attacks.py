"""What adversaries read off rewritten records, and what that protection cost (curator-only).

All shares are on 0..1 whatever the data, so that two pictures can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import pandas as pd

from ctxpriv.charts.rows import latest_runs
from ctxpriv.charts.theme import Theme, colour, dressed, method_scales, theme
from ctxpriv.comparison import Comparison, RunResult
from ctxpriv.evaluate.attacks.attack import TITLES, Attack

LANE = 26  # pixels a method, within an attribute
MEAN = "mean of all"
SHARE = "records whose value is named"


def attack_names(comparison: Comparison, audience: str) -> list[str]:
    """The attacks on the rewritten releases for one audience, in the order in which they are shown."""
    found = {a.name for run in comparison.rewritten(audience) for a in run.report.attacks}
    return [name for name in TITLES if name in found] + sorted(found - set(TITLES))


def attack_marks(
    comparison: Comparison, audience: str, attack: str, *, dark: bool = False, width: int = 460
) -> alt.LayerChart:
    """Per private attribute and method: how often the adversary names the value on the original texts
    (◇), on the rewrites (the method's mark, with its 95 % interval), and who never reads (|)."""
    t = theme(dark)
    pairs = [(run, a) for run in latest_runs(comparison, audience, None) if (a := _of(run, attack))]
    frame = pd.DataFrame([row for run, a in pairs for row in _lanes(run, a)])
    methods = [run.method for run, _ in pairs]
    if not len(frame):
        empty = pd.DataFrame({"told": ["no rewritten release was attacked so"]})
        return dressed(
            alt.layer(alt.Chart(empty).mark_text(color=t.muted, fontStyle="italic").encode(text="told:N")),
            dark,
        )
    frame = frame.astype(dict.fromkeys(("leak", "low", "high", "majority", "unprotected"), "float64"))
    attributes = list(dict.fromkeys(frame["attribute"]))
    lanes = [lane for name in attributes for lane in (*frame[frame["attribute"] == name]["lane"], f" {name}")]
    y = alt.Y("lane:N", sort=lanes, scale=alt.Scale(domain=lanes), title=None, axis=None)
    hue, form = method_scales(methods, dark)
    tips = [alt.Tooltip("attribute:N"), alt.Tooltip("method:N"), alt.Tooltip("told:N", title="named")]
    base = alt.Chart(frame)
    paired = alt.Chart(frame.dropna(subset=["unprotected"]))
    layers = [
        paired.mark_rule(strokeWidth=3, strokeCap="round", opacity=0.35).encode(
            x=_share("unprotected"), x2="leak:Q", y=y, color=hue
        ),
        alt.Chart(frame.dropna(subset=["low"]))
        .mark_rule(strokeWidth=1.4, yOffset=8)
        .encode(x=_share("low"), x2="high:Q", y=y, color=hue),
        base.mark_tick(color=t.muted, thickness=2, size=16).encode(x=_share("majority"), y=y, tooltip=tips),
        paired.mark_point(shape="diamond", size=80, filled=False, strokeWidth=1.8, color=t.muted).encode(
            x=_share("unprotected"), y=y, tooltip=tips
        ),
        base.mark_point(filled=True, size=105, opacity=1).encode(
            x=_share("leak"), y=y, color=hue, shape=form, tooltip=tips
        ),
        *_words(frame, y, t, width, dark),
    ]
    who = dict.fromkeys(str(a.who.get("name", "")) for _, a in pairs)
    subtitle = [f"{TITLES.get(attack, attack)}: {', '.join(who)}", f"◇ originals   | {_baseline(pairs)}"]
    head = alt.TitleParams(f"{audience}: private values named", subtitle=subtitle)
    return dressed(alt.layer(*layers).properties(width=width, height=LANE * len(lanes), title=head), dark)


def protection_bought(
    comparison: Comparison, audience: str, attack: str, *, dark: bool = False, width: int = 420
) -> alt.LayerChart:
    """Leak to the left, public values kept upwards: from the originals (◇, everything kept) to each
    method's rewrites. Straight left is protection that cost nothing."""
    t = theme(dark)
    points = pd.DataFrame(
        [row for run in latest_runs(comparison, audience, None) for row in _bought(run, attack)],
        columns=["method", "end", "leak", "kept", "told"],
    ).astype({"leak": "float64", "kept": "float64"})
    methods = list(dict.fromkeys(points["method"]))
    hue, form = method_scales(methods, dark)
    x = alt.X(
        "leak:Q",
        title=f"{SHARE}, mean over private attributes",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f"),
    )
    y = alt.Y(
        "kept:Q",
        title="public values still told",
        scale=alt.Scale(domain=[0, 1.02], nice=False),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f"),
    )
    base, tips = alt.Chart(points), [alt.Tooltip("method:N"), alt.Tooltip("told:N", title="figures")]
    start, end = "datum.end == 'originals'", "datum.end == 'rewrites'"
    layers = [
        base.mark_line(strokeWidth=2, opacity=0.5).encode(x=x, y=y, color=hue, detail="method:N"),
        base.transform_filter(start)
        .mark_point(shape="diamond", size=90, filled=False, strokeWidth=1.8, color=t.muted)
        .encode(x=x, y=y, tooltip=tips),
        base.transform_filter(end)
        .mark_point(filled=True, size=120, opacity=1)
        .encode(x=x, y=y, color=hue, shape=form, tooltip=tips),
    ]
    subtitle = [TITLES.get(attack, attack), "◇ originals, everything kept; further left is safer"]
    head = alt.TitleParams(f"{audience}: what protection cost", subtitle=subtitle)
    return dressed(alt.layer(*layers).properties(width=width, height=280, title=head), dark)


# ---- parts


def _of(run: RunResult, attack: str) -> Attack | None:
    return next((a for a in run.report.attacks if a.name == attack), None)


def _lanes(run: RunResult, attack: Attack) -> list[dict[str, Any]]:
    """A lane per attribute that could be attacked, and one for their mean."""
    if attack.leak.value is None:
        return []
    mean = {
        "accuracy": attack.leak.value,
        "low": attack.leak.low,
        "high": attack.leak.high,
        "majority": attack.majority.value,
        "unprotected": attack.unprotected.value,
        "n": attack.leak.n,
    }
    rows = {**attack.per_attribute, MEAN: mean}
    return [
        {
            "attribute": name,
            "method": run.method,
            "lane": f"{name} · {run.method}",
            "leak": row["accuracy"],
            **{key: row.get(key) for key in ("low", "high", "majority", "unprotected")},
            "told": _told(row),
        }
        for name, row in sorted(rows.items(), key=lambda item: item[0] == MEAN)
        if row.get("accuracy") is not None
    ]


def _told(row: Any) -> str:
    words = [f"rewrites {row['accuracy']:.2f}"]
    words += [f"{key} {row[key]:.2f}" for key in ("unprotected", "majority") if row.get(key) is not None]
    return f"{', '.join(words)}, n = {row['n']}"


def _share(field: str) -> alt.X:
    return alt.X(
        f"{field}:Q",
        title=SHARE,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], format=".2~f"),
    )


def _words(frame: pd.DataFrame, y: alt.Y, t: Theme, width: int, dark: bool) -> list[alt.Chart]:
    """The attribute's name before its first lane; in a column behind, each method's own figure."""
    first = frame.drop_duplicates("attribute")
    names = alt.Chart(first).mark_text(align="right", fontSize=13, color=t.text, limit=200)
    out = [names.encode(x=alt.value(-14), y=y, text="attribute:N")]
    for method, own in frame.groupby("method", sort=False):
        figure = alt.Chart(own).mark_text(align="left", fontSize=11, color=colour(str(method), dark))
        out.append(figure.encode(x=alt.value(width + 14), y=y, text=alt.Text("leak:Q", format=".2f")))
    return out


def _bought(run: RunResult, attack: str) -> list[dict[str, Any]]:
    """Where a method's originals and rewrites stand; nothing where a figure is missing."""
    found, kept = _of(run, attack), run.report.rewriting.get("public_kept")
    if found is None or kept is None or None in (found.leak.value, found.unprotected.value, kept.value):
        return []
    ends = {"originals": (found.unprotected.value, 1.0), "rewrites": (found.leak.value, kept.value)}
    return [
        {
            "method": run.method,
            "end": end,
            "leak": leak,
            "kept": share,
            "told": f"{end}: named {leak:.2f}, kept {share:.2f}",
        }
        for end, (leak, share) in ends.items()
    ]


def _baseline(pairs: Sequence[tuple[RunResult, Attack]]) -> str:
    most = max(a.guesses for _, a in pairs)
    return "always the most common value" if most == 1 else f"always the {most} most common values"
