"""All methods of aggregate insight by name: a new one is one line here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.privatize.method import MethodEntry, says_infinite
from ctxpriv.privatize.spin.baselines.categories import CategoryHistogram
from ctxpriv.privatize.spin.baselines.clusters import UraniaStyle
from ctxpriv.privatize.spin.baselines.keywords import KeywordHistogram
from ctxpriv.privatize.spin.mechanisms import Spin
from ctxpriv.privatize.spin.references import DonatedOrder, NonPrivateTopL, RedactedSample, SampledRecords
from ctxpriv.strict import check_keys, did_you_mean

INSIGHTS: dict[str, MethodEntry] = {
    entry.name: entry
    for entry in (
        MethodEntry.of(
            Spin,
            "#0072B2",
            "A private plan: the public themes that carry most mass in the records, with noisy masses.",
        ),
        MethodEntry.of(
            CategoryHistogram,
            "#E69F00",
            "Noisy counts of one declared attribute, one value a record.",
        ),
        MethodEntry.of(
            KeywordHistogram,
            "#009E73",
            "Noisy counts of public keywords, a few a record.",
        ),
        MethodEntry.of(
            UraniaStyle,
            "#CC79A7",
            "Clusters found with noise, told by their noisy sizes and public keywords (a reimplementation).",
        ),
        MethodEntry.of(
            NonPrivateTopL,
            "#4B5563",
            "The plan without noise, for the curator alone: what every other plan is measured against.",
        ),
        MethodEntry.of(
            DonatedOrder,
            "#6B7280",
            "The most common atoms of the donated records: a guess that costs no privacy and reads none.",
        ),
        MethodEntry.of(
            SampledRecords,
            "#7A8190",
            "A summary of a few raw records, for the curator alone.",
        ),
        MethodEntry.of(
            RedactedSample,
            "#A3A8B4",
            "A summary of a few records after heuristic redaction, for the curator alone.",
        ),
    )
}

VARIANT_COLOURS = {
    "DP-SPIN, Laplace": "#0072B2",
    "DP-SPIN, Gaussian": "#56B4E9",
    "DP-SPIN, admission": "#0B3C6F",
}
"""The variants of one method share a hue; charts tell them apart by shape and dash as well."""

UNKNOWN_COLOUR = "#8A8F9C"  # a method in an old file that this version does not know


def colour_of(title: str) -> str:
    """The fixed colour (hex) of a config's `title`."""
    if title in VARIANT_COLOURS:
        return VARIANT_COLOURS[title]
    entry = INSIGHTS.get(title) or INSIGHTS.get(title.split(", ")[0])
    return entry.colour if entry else UNKNOWN_COLOUR


def insight_from(data: Mapping[str, Any]) -> Any:
    """A config from {"method": name, field: value, ...}; the inverse of `config.to_dict()`.

    Raises BadInput naming an unknown method or key, with the nearest known one, and as the config does
    for values that it cannot use.
    """
    check_keys(data, data if isinstance(data, Mapping) else (), "method", required=("method",))
    rest = dict(data)
    name = str(rest.pop("method"))
    if name not in INSIGHTS:
        raise BadInput(f"there is no method {name!r}.", where="method", fix=did_you_mean(name, INSIGHTS))
    entry = INSIGHTS[name]
    check_keys(rest, entry.settings, name)
    if says_infinite(rest.get("epsilon")):
        rest["epsilon"] = math.inf  # refused by the config, in its own words
    return entry.config(**rest)
