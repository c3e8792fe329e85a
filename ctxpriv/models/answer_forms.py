"""The JSON schemas that answers must satisfy, from a few pieces.

The order of keys is part of a form: a constrained model writes an object's properties in the order
in which they stand here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Form = dict[str, Any]


def object_form(**properties: Form) -> Form:
    """An object with exactly these properties, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def text_form(at_most: int) -> Form:
    """A text of 1 to `at_most` characters."""
    return {"type": "string", "minLength": 1, "maxLength": at_most}


def choice_form(options: Iterable[str]) -> Form:
    """One of `options`, letter by letter."""
    return {"type": "string", "enum": list(options)}


def list_form(items: Form, at_least: int, at_most: int) -> Form:
    """A list of `at_least` to `at_most` items of one form."""
    return {"type": "array", "items": items, "minItems": at_least, "maxItems": at_most}
