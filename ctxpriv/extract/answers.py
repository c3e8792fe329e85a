"""Reading what can be read of a model's answer."""

from __future__ import annotations

import json
import re
from typing import Any

from ctxpriv.models.base import Answer


def value_of(answer: Answer) -> Any | None:
    """The JSON value of an answer, or None where there is none.

    An answer that is JSON but breaks its schema ("schema violated", after the model's own
    retries) still has a value: it goes through the same rules as any other, which drop
    or map what is foreign and count it. Every other failure has no value.
    """
    if answer.ok:
        return answer.parsed
    if answer.failure != "schema violated":
        return None
    text = re.sub(r"\A\s*```(?:json)?|```\s*\Z", "", answer.text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
