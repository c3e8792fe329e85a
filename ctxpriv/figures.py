"""All charts, by name. Each takes plain results and `dark`, and returns a figure to draw or save.

| chart | drawn by |
|---|---|
| radar (paper Figure 2) | Plotly; `radar_still` is the same for SVG and PNG |
| dumbbells, tradeoff, privacy_utility | Altair |
| attack_marks, protection_bought (rewritten records) | Altair |
| plan_bars, compared_plans, ablation_lines, probe_curves, loss_and_bound (insights) | Altair |
| value_counts, length_histogram, before_after, matrix, schema_fields | Altair |

On a page that restyles charts, switch that off (`theme=None`): they bring their own theme.
"""

from __future__ import annotations

from ctxpriv.charts.attacks import attack_marks, attack_names, protection_bought
from ctxpriv.charts.check_charts import (
    check_chart,
    guessed_right,
    shared_knowledge,
    standing_out,
    texts_per_author,
)
from ctxpriv.charts.corpus_charts import before_after, length_histogram, value_counts
from ctxpriv.charts.dumbbells import dumbbells
from ctxpriv.charts.export import to_html, to_png, to_svg
from ctxpriv.charts.insight_experiments import ablation_lines, loss_and_bound, probe_curves
from ctxpriv.charts.insights import compared_plans, plan_bars
from ctxpriv.charts.matrix import matrix
from ctxpriv.charts.radar import PLOTLY_CONFIG, radar, radar_still
from ctxpriv.charts.schema_quality import schema_fields
from ctxpriv.charts.tradeoff import privacy_utility, tradeoff

__all__ = [
    "PLOTLY_CONFIG",
    "ablation_lines",
    "attack_marks",
    "attack_names",
    "before_after",
    "check_chart",
    "compared_plans",
    "dumbbells",
    "guessed_right",
    "length_histogram",
    "loss_and_bound",
    "matrix",
    "plan_bars",
    "privacy_utility",
    "probe_curves",
    "protection_bought",
    "radar",
    "radar_still",
    "schema_fields",
    "shared_knowledge",
    "standing_out",
    "texts_per_author",
    "to_html",
    "to_png",
    "to_svg",
    "tradeoff",
    "value_counts",
]
