"""Experiments by name, as studies and pages choose them.

PRIVATE SIDE, curator-only: see `results`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.noise import Noise, OpenDPNoise
from ctxpriv.privatize.spin.assign.assigner import assigner_for
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.contributions import Contributions
from ctxpriv.privatize.spin.experiments.grid import FACTORS, FIGURE_3, Grid, run_grid, units_in
from ctxpriv.privatize.spin.experiments.methods import run_methods
from ctxpriv.privatize.spin.experiments.probe import PROBE, Probe, probe_texts, run_probe, with_probe
from ctxpriv.privatize.spin.experiments.results import ExperimentResult
from ctxpriv.privatize.spin.insight import Protected
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.mechanisms import MECHANISMS
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.strict import a_list, a_number, a_text, check_keys, did_you_mean, whole_number


@dataclass(frozen=True)
class Offered:
    """One experiment: what it is in words, its settings, and the values tried unless others are given."""

    about: str
    settings: tuple[str, ...]
    values: tuple[int, ...] = ()


_DRAWN = ("mechanisms", "epsilons", "repeats")
_ABLATION = (*_DRAWN, "values")

EXPERIMENTS: dict[str, Offered] = {
    "mechanisms": Offered("three mechanisms over ε and m (the paper's Figure 3)", (*_DRAWN, "m"), FIGURE_3.m),
    "m": Offered("how many atoms the dictionary has", _ABLATION, (15, 25, 50, 100, 200)),
    "k": Offered("how many atoms a record may have", _ABLATION, (1, 2, 3, 5)),
    "size": Offered("how many atoms a plan admits (L)", _ABLATION, (5, 10, 15, 20)),
    "n": Offered("how many records or users there are", _ABLATION),  # parts of those there are
    "bound": Offered("how much one user may add (B)", _ABLATION, (1, 2, 5)),
    "probe": Offered(
        "how many records a theme needs to show", (*_DRAWN, "supports", "insert"), Probe().supports
    ),
    "methods": Offered("the methods of the study, drawn again and again", ("epsilons", "repeats")),
}

PARTS = (10, 5, 2, 1)
"""Of the protected units, where the experiment "n" names no values: a tenth, a fifth, half, all."""

ABLATION_EPSILONS = (0.5, 1.0, 2.0, 4.0)


class Material(Protocol):
    """What an experiment works on; `insights.desk.Desk` is one."""

    @property
    def study(self) -> Any: ...  # with `audiences` and `methods`

    @property
    def atoms(self) -> AtomSet: ...

    def atoms_up_to(self, m: int) -> AtomSet: ...

    @property
    def donated(self) -> DonatedExamples: ...

    @property
    def roles(self) -> Roles: ...

    def measurement(self, audience: Any) -> Measurement: ...

    def contributions(self, measurement: Measurement) -> Contributions: ...

    def protected(self, measurement: Measurement) -> Protected: ...


def experiment_from(data: Any, where: str) -> dict[str, Any]:
    """{"experiment": name, setting: value, ...} from a name or such a mapping.

    Raises BadInput naming an unknown experiment or setting, or a value that it cannot use.
    """
    given = {"experiment": data} if isinstance(data, str) else data
    check_keys(given, given if isinstance(given, Mapping) else (), where, required=("experiment",))
    name = a_text(given["experiment"], f"{where}, experiment")
    if name not in EXPERIMENTS:
        raise BadInput(f"there is no experiment {name!r}.", where=where, fix=did_you_mean(name, EXPERIMENTS))
    check_keys(given, ("experiment", *EXPERIMENTS[name].settings), where)
    out: dict[str, Any] = {"experiment": name}
    for key, value in given.items():
        if key != "experiment":
            out[key] = _READ[key](value, f"{where}, {key}")
    _plan_of(out)
    return out


def run_experiment(
    chosen: Mapping[str, Any],
    material: Material,
    *,
    noise: Noise | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> ExperimentResult:
    """`chosen`: see `experiment_from`. All atoms are measured, also those withheld from an audience.

    Raises BadInput where the experiment does not fit the study, and Cancelled.
    """
    noise = noise or OpenDPNoise()
    plan = _plan_of(chosen)
    atoms = material.atoms
    if isinstance(plan, Grid) and plan.m:
        atoms = material.atoms_up_to(max(plan.m))
    measured = replace(material.measurement(material.study.audiences[0]), atoms=atoms)
    if isinstance(plan, Grid):
        return _grid(plan, measured, chosen["experiment"], material, noise, progress, cancel)
    if isinstance(plan, Probe):
        probed = replace(measured, atoms=with_probe(measured.atoms))
        written = None
        if plan.insert == "texts":
            assigner = assigner_for(probed, material.donated.texts, material.roles)
            texts = probe_texts(PROBE, max(plan.supports))
            written = assigner.assign(texts, progress=progress, cancel=cancel)
        return run_probe(
            plan, material.contributions(probed), probed, len(measured.atoms), synthetic=written,
            noise=noise, verbalise=by_template, progress=progress, cancel=cancel,
        )  # fmt: skip
    methods = _methods(material.study.methods, chosen.get("epsilons", ()))
    return run_methods(
        methods, material.protected(measured), measured, material.donated, material.roles,
        repeats=chosen.get("repeats", 20), noise=noise, progress=progress, cancel=cancel,
    )  # fmt: skip


def _methods(methods: Sequence[Any], epsilons: Sequence[float]) -> list[Any]:
    """The study's private methods, at these ε in place of their own where some are given."""
    private = [m for m in methods if hasattr(m, "epsilon")]
    if not epsilons:
        return private
    return list(dict.fromkeys(replace(m, epsilon=e) for m in private for e in epsilons))


def by_template(plan: SemanticPlan) -> str:
    """The plan as the template puts it into words for display."""
    return TemplateDecoder().decode(plan, "display")[0]


def _grid(
    grid: Grid,
    measured: Measurement,
    name: str,
    material: Material,
    noise: Noise,
    progress: Progress,
    cancel: CancelToken,
) -> ExperimentResult:
    def assign(atoms: AtomSet, k: int) -> Contributions:
        size = min(measured.size, len(atoms))
        return material.contributions(replace(measured, atoms=atoms, k=k, size=size))

    if name == "bound" and measured.unit != "user":
        raise BadInput(
            "B is a bound on users, and the study protects records.",
            where="experiment bound",
            fix="Set unit: user, or leave the experiment out.",
        )
    if name == "n" and not grid.n:
        there = units_in(assign(measured.atoms, measured.k), measured.unit)
        grid = replace(grid, n=tuple(sorted({max(1, there // part) for part in PARTS})))
    return run_grid(grid, measured, assign, noise=noise, name=name, progress=progress, cancel=cancel)


def _plan_of(chosen: Mapping[str, Any]) -> Grid | Probe | None:
    """The experiment with its settings; None where the study's own methods are drawn."""
    name = chosen["experiment"]
    settings = {k: v for k, v in chosen.items() if k not in ("experiment", "values")}
    if name == "mechanisms":
        return replace(FIGURE_3, **settings)
    if name == "probe":
        return Probe(**settings)
    if name in FACTORS:
        values = chosen.get("values", EXPERIMENTS[name].values)
        return Grid(**{"epsilons": ABLATION_EPSILONS, **settings, name: tuple(values)})
    return None


def _some(data: Any, where: str, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Each value as `read` reads it, without doubles."""
    if not (given := a_list(data, where)):
        raise BadInput("names no value.", where=where, fix="Name one, or leave the key out.")
    return tuple(dict.fromkeys(read(x) for x in given))


def _counts(data: Any, where: str, least: int = 1) -> tuple[int, ...]:
    return _some(data, where, lambda x: whole_number(x, where, least=least))


def _epsilons(data: Any, where: str) -> tuple[float, ...]:
    return _some(data, where, lambda x: a_number(x, where, above=0.0))


def _mechanisms(data: Any, where: str) -> tuple[str, ...]:
    return _some(data, where, lambda x: _mechanism(a_text(x, where), where))


def _mechanism(name: str, where: str) -> str:
    if name not in MECHANISMS:
        raise BadInput(f"there is no mechanism {name!r}.", where=where, fix=did_you_mean(name, MECHANISMS))
    return name


_READ = {
    "mechanisms": _mechanisms,
    "epsilons": _epsilons,
    "repeats": lambda data, where: whole_number(data, where, least=1),
    "values": _counts,
    "m": _counts,
    "insert": a_text,
    "supports": lambda data, where: _counts(data, where, least=0),
}
