"""What an insights study would do, cost and be worth, before anything private is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ctxpriv.casting import study_roles
from ctxpriv.insights.desk import Desk, InsightRun, chosen, runs_of, set_up
from ctxpriv.insights.store import insight_folder
from ctxpriv.insights.study import InsightStudy
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.guarantee import Guarantee
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.spin.assign.assigner import assigner_for
from ctxpriv.privatize.spin.expectation import Expectation, donated_proxy, expected_overlap
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.statement import guarantee
from ctxpriv.roles import Roles
from ctxpriv.runner import place_corpus
from ctxpriv.workspace import Workspace


@dataclass(frozen=True)
class PlannedInsight:
    """`guarantee` is None for references, `expectation` for all but DP-SPIN. `drawn`: it is in the
    workspace, and its words and measures would cost no budget."""

    title: str
    audience: str
    guarantee: Guarantee | None
    expectation: Expectation | None
    drawn: bool


def plan_insights(
    study: InsightStudy, workspace: Workspace, *, roles: Roles | None = None
) -> list[PlannedInsight]:
    """What `run_insights` would do, from public settings and donated records. Raises BadInput."""
    corpus, key = place_corpus(study, workspace)
    desk = set_up(study, corpus, key, roles or study_roles(study.models, workspace))
    proxies: dict[str, NDArray[np.float64] | None] = {}
    out = []
    for run in runs_of(desk):
        name = run.measurement.atoms.digest
        if name not in proxies:
            proxies[name] = proxy_of(desk, run.measurement)
        out.append(_planned(desk, run, workspace, proxies[name]))
    return out


def together(planned: Iterable[PlannedInsight]) -> tuple[float, float, float]:
    """(ρ, ε, δ) of everything that is yet to be drawn, as if each were about all records: at most that.

    Pure ε adds up; as soon as one has a δ, ρ adds up and is told at the largest δ. All 0 for nothing.
    """
    stated = [p.guarantee for p in planned if p.guarantee is not None and not p.drawn]
    rho, delta = sum(g.rho for g in stated), max((g.delta for g in stated), default=0.0)
    pure = sum(g.epsilon for g in stated)
    return rho, epsilon_from(rho, delta) if delta else pure, delta


def proxy_of(desk: Desk, measurement: Measurement) -> NDArray[np.float64] | None:
    """The donated records' sketch, scaled to the denominator: public, what expectations are computed on.
    With `only`, the other donated records bring no mass, as the other protected ones will not.
    None where there is none, or where a language model would have to map the texts."""
    donated = desk.corpus.part("donated")
    if not len(donated) or measurement.assign == "model":
        return None
    users = None if donated.authors is None else np.unique(donated.authors, return_inverse=True)[1]
    assigner = assigner_for(measurement, donated.texts, desk.roles)
    given = assigner.assign(donated.texts, users=users)
    counted = np.where(chosen(desk.study, donated)[:, None], given.mass, 0)
    return donated_proxy(replace(given, mass=counted), measurement)


def _planned(
    desk: Desk, run: InsightRun, workspace: Workspace, proxy: NDArray[np.float64] | None
) -> PlannedInsight:
    stated, expected = None, None
    run.config.check(run.measurement, desk.donated)
    if run.config.family != "reference":
        stated = guarantee(
            run.title,
            run.config.charges(run.measurement),
            run.measurement,
            OpenDPNoise(),
            **desk.conditions(run.config),
        )
    if isinstance(run.config, Spin):
        expected = expected_overlap(run.config, run.measurement, proxy)
    drawn = insight_folder(workspace, run.run_id).is_drawn
    return PlannedInsight(run.title, run.audience.name, stated, expected, drawn)
