"""The `methods` of a plan file: one config per method and ε, whatever kind of study it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.privatize.method import says_infinite, takes
from ctxpriv.strict import a_list, did_you_mean, kind_of

Make = Callable[[Mapping[str, Any]], Any]
"""A config from its settings with the key `method`."""


def configs_from(
    data: Mapping[str, Any],
    where: str,
    known: Mapping[str, Any],
    make: Make,
    also: Callable[[type], Mapping[str, Any]] = lambda config: {},
) -> tuple[Any, ...]:
    """One config per method and ε of `data` (keys `methods`, `epsilon`); a method that states its own ε is
    taken at that one only, and one without ε once.

    `known` maps names to registry entries (with their `config` class); `also` gives settings of the study
    that a method takes where it does not state them. Raises BadInput naming the place.
    """
    epsilons = [
        an_epsilon(e, f"{where}, epsilon[{i}]")
        for i, e in enumerate(a_list(data.get("epsilon", 1.0), f"{where}, epsilon"))
    ]
    if not epsilons:
        raise BadInput("is empty.", where=f"{where}, epsilon", fix="List at least one value, or inf.")
    out = []
    for i, item in enumerate(a_list(data["methods"], f"{where}, methods")):
        place = f"{where}, methods[{i}]"
        settings = _settings(item, known, place)
        config = known[settings["method"]].config
        own = {**also(config), **{k: v for k, v in settings.items() if k != "epsilon"}}
        if not takes(config, "epsilon"):
            if "epsilon" in settings:
                raise BadInput(
                    "has no ε: it gives no formal guarantee.", where=f"{place}.epsilon", fix="Leave it out."
                )
            out.append(_config(own, make, place))
            continue
        chosen = [an_epsilon(settings["epsilon"], f"{place}.epsilon")] if "epsilon" in settings else epsilons
        out += [_config({**own, "epsilon": epsilon}, make, place) for epsilon in chosen]
    return tuple(dict.fromkeys(out))


def an_epsilon(value: Any, where: str) -> float:
    """A number above 0, or "inf". Raises BadInput."""
    if says_infinite(value):
        return math.inf
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or number <= 0:
        raise BadInput(f"ε must be a number above 0, or inf; got {value!r}.", where=where)
    return number


def _settings(item: Any, known: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    settings = {"method": item} if isinstance(item, str) else item
    if not isinstance(settings, Mapping) or not isinstance(settings.get("method"), str):
        raise BadInput(
            f"is {kind_of(item)}, not a method's name or its settings.",
            where=place,
            fix="Write a name, or `method: NAME` with settings.",
        )
    if settings["method"] not in known:
        raise BadInput(
            f"there is no method {settings['method']!r}.",
            where=place,
            fix=did_you_mean(settings["method"], known),
        )
    return settings


def _config(settings: dict[str, Any], make: Make, where: str) -> Any:
    try:
        return make(settings)
    except BadInput as error:
        inner = f"{where}, {error.where}" if error.where else where
        raise BadInput(error.what, where=inner, fix=error.fix) from None
    except TypeError:
        raise BadInput("a setting has the wrong type.", where=where) from None
