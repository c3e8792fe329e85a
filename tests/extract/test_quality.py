from __future__ import annotations

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.extract.quality import schema_quality
from ctxpriv.schema import NOT_STATED, Attribute, Schema

SCHEMA = Schema((Attribute("a", ("x", "y", NOT_STATED)), Attribute("b", ("x",))))


def test_signal_entropy_and_dominance_as_the_paper_defines_them():
    values = pd.DataFrame({"a": ["x", "x", "y", NOT_STATED], "b": ["x"] * 4})
    a, b = schema_quality(values, SCHEMA)
    assert (a.attribute, a.n, a.distinct) == ("a", 4, 3)
    assert a.signal == 0.75 and a.dominance == 0.5
    assert a.balanced_entropy == pytest.approx(1.5 / 1.584962500721156)
    assert (b.signal, b.balanced_entropy, b.dominance) == (1.0, 0.0, 1.0)


def test_an_empty_table_is_refused():
    with pytest.raises(BadInput, match="no extracted values"):
        schema_quality(pd.DataFrame({"a": [], "b": []}), SCHEMA)
