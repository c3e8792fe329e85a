"""Methods by name, and from dictionaries as plans and stored runs hold them."""

from __future__ import annotations

import json
import math

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.privatize.registry import METHODS, method_from


@pytest.mark.parametrize("name", list(METHODS))
@pytest.mark.parametrize("epsilon", [0.5, math.inf])
def test_a_config_survives_json(name: str, epsilon: float) -> None:
    wanted = {"epsilon": epsilon, "n_synthetic": 7, "n_records": 7}
    method = METHODS[name].config(**{k: v for k, v in wanted.items() if METHODS[name].takes(k)})
    assert method_from(json.loads(json.dumps(method.to_dict(), allow_nan=False))) == method


def test_unknown_names_are_errors_that_help() -> None:
    with pytest.raises(BadInput, match="SDG-CI"):
        method_from({"method": "SDGCI"})
    with pytest.raises(BadInput, match="'epsilom'.*'epsilon'"):
        method_from({"method": "MAPLE", "epsilom": 1})
    with pytest.raises(BadInput, match="'aim_share'"):
        method_from({"method": "Aug-PE", "aim_share": 0.1})
    with pytest.raises(BadInput, match="'alfa'.*'alpha'"):
        method_from({"method": "MAPLE", "aim": {"alfa": 0.5}})


def test_entries_agree_with_their_configs_and_differ_in_colour() -> None:
    for name, entry in METHODS.items():
        assert entry.name == name == entry.config.name and entry.family == entry.config.family
    assert len({entry.colour for entry in METHODS.values()}) == len(METHODS)
