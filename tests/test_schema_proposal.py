from __future__ import annotations

import json

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.schema import Attribute, Coarsening, Schema
from ctxpriv.schema_proposal import SchemaProposal

SCHEMA = Schema(
    (Attribute("a", ("x", "y"), provenance="dp"),), {"a": Coarsening("a", {"x": "b", "y": "b"}, ("b",))}
)


@pytest.mark.parametrize(
    "proposal",
    [
        SchemaProposal("prompted", SCHEMA),
        SchemaProposal("texts", SCHEMA, ("p",), {"name": "m"}, 2.5, True, None, None, None, {"k": 5}),
        SchemaProposal("dp", SCHEMA, (), {}, 1.0, True, 1.0, 1e-4, 0.05, {"released": {"a": 4}}, "run"),
    ],
)
def test_survives_json(proposal):
    assert SchemaProposal.from_dict(json.loads(json.dumps(proposal.to_dict(), allow_nan=False))) == proposal


def test_each_way_says_what_it_tells_about_a_record():
    said = [
        SchemaProposal("prompted", SCHEMA).guarantee(),
        SchemaProposal("texts", SCHEMA, reads_private=True, epsilon=None, delta=None, rho=None).guarantee(),
        SchemaProposal("dp", SCHEMA, reads_private=True, epsilon=2.0, delta=1e-4, rho=0.1).guarantee(),
    ]
    assert "No private text was read" in said[0]
    assert "without differential privacy" in said[1]
    assert "ε = 2, δ = 0.0001" in said[2]


def test_an_unknown_way_is_refused():
    with pytest.raises(BadInput, match="no way to a schema"):
        SchemaProposal("guessed", SCHEMA)
