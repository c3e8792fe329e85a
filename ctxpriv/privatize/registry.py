"""All methods by name: a new one is one line here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.privatize.anon.methods import RUPTA, AnonCI, OneTwoThree
from ctxpriv.privatize.method import MethodEntry, says_infinite
from ctxpriv.privatize.sdg.aim import AIMConfig
from ctxpriv.privatize.sdg.estimator import Estimation
from ctxpriv.privatize.sdg.methods import MAPLE, SDGCI, AugPE

METHODS: dict[str, MethodEntry] = {
    entry.name: entry
    for entry in (
        MethodEntry.of(
            SDGCI,
            "#0072B2",
            "Synthetic texts that keep this audience's public attributes and protect everything else.",
        ),
        MethodEntry.of(
            MAPLE,
            "#D55E00",
            "Synthetic texts with every attribute protected, the same for all audiences.",
        ),
        MethodEntry.of(
            AugPE,
            "#009E73",
            "Synthetic texts from votes alone, without a table of attributes, the same for all audiences.",
        ),
        MethodEntry.of(
            AnonCI,
            "#CC79A7",
            "Every text rewritten until this audience's private attributes cannot be guessed from it, while "
            "its public ones and the label still can.",
        ),
        MethodEntry.of(
            RUPTA,
            "#E69F00",
            "The same rewriting for one default partition, checking the label only; shared by all audiences.",
        ),
        MethodEntry.of(
            OneTwoThree,
            "#56B4E9",
            "One pass of three agents: extract, classify, write anew (a reimplementation); the same for all "
            "audiences.",
        ),
    )
}


def method_from(data: Mapping[str, Any]) -> Any:
    """A config from {"method": name, field: value, ...}; the inverse of `config.to_dict()`.

    "inf" stands for ε = ∞. Raises BadInput naming an unknown method or key, with the
    nearest known one.
    """
    rest = dict(data)
    name = rest.pop("method", None)
    if name not in METHODS:
        raise BadInput(f"there is no method {name!r}.", where="method", fix=_meant(str(name), METHODS))
    config = METHODS[name].config
    _only_fields(rest, config, name)
    if says_infinite(rest.get("epsilon")):
        rest["epsilon"] = math.inf
    if isinstance(rest.get("aim"), Mapping):
        rest["aim"] = _aim_from(rest["aim"], f"{name}, aim")
    return config(**rest)


def _aim_from(data: Mapping[str, Any], where: str) -> AIMConfig:
    _only_fields(data, AIMConfig, where)
    rest = dict(data)
    if isinstance(rest.get("estimation"), Mapping):
        _only_fields(rest["estimation"], Estimation, f"{where}, estimation")
        rest["estimation"] = Estimation(**rest["estimation"])
    return AIMConfig(**rest)


def _only_fields(given: Mapping[str, Any], config: type, where: str) -> None:
    known = [f.name for f in fields(config)]
    for key in given:
        if key not in known:
            raise BadInput(f"does not know the setting {key!r}.", where=where, fix=_meant(str(key), known))


def _meant(word: str, known: Any) -> str:
    near = get_close_matches(word, list(known), 1)
    return f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(known)}."
