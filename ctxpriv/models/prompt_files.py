"""Prompts kept as text files beside the code, so that people can read and change them.

A file `prompts/NAME.txt` is a `string.Template`: `$field` or `${field}` is filled in,
`$$` is a dollar sign. Values are inserted as they are and never read as a template,
so a text that holds dollar signs or braces is safe.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from ctxpriv.errors import BadInput


def render(name: str, /, **fields: object) -> str:
    """The prompt file `name` (without ".txt") with its fields filled in.

    Raises BadInput when there is no such file, when a field of the file has no value,
    or when a value is given that the file does not use: prompts and code drift apart
    silently otherwise.
    """
    template = _template(name)
    wanted = set(template.get_identifiers())
    where = f"prompt file {name}.txt"
    if missing := sorted(wanted - set(fields)):
        raise BadInput(f"no value for {missing}.", where=where)
    if unused := sorted(set(fields) - wanted):
        raise BadInput(f"does not use {unused}.", where=where)
    return template.substitute({key: str(value) for key, value in fields.items()}).strip()


@cache
def _template(name: str) -> Template:
    file = files("ctxpriv.models") / "prompts" / f"{name}.txt"
    if not file.is_file():
        raise BadInput("there is no such prompt file.", where=f"prompt file {name}.txt")
    return Template(file.read_text("utf-8"))
