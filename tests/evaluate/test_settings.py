from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.evaluate.settings import EvaluationSettings


@pytest.mark.parametrize(
    "changes",
    [{"classifier": "forest"}, {"mauve_seeds": 2}, {"refits": 1}, {"bootstrap": 3}, {"groups": ("a", "a")}],
)
def test_impossible_values_are_refused(changes):
    with pytest.raises(BadInput):
        EvaluationSettings(**changes)


def test_round_trip():
    settings = EvaluationSettings(group_attribute="sex", groups=("female", "male"), seed=4)
    assert EvaluationSettings.from_dict(settings.to_dict()) == settings
