"""Schema files: attributes, values and buckets as a person writes them (YAML).

    attributes:
      - name: age
        description: The author's age in years.
        buckets:                    # at most 5; the values are those of the buckets, in order
          18–24: [18..24]           # a range of whole numbers
          25–34: [25..34]
      - name: sex
        description: The author's sex.
        values: [female, male]      # without buckets: not coarsened

An attribute may have both: `values` then gives the order, and must be exactly what the
buckets hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ctxpriv.errors import BadInput
from ctxpriv.schema import MAX_BUCKETS, Attribute, Coarsening, Schema

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Strict(_LOADER):
    """Refuses a key that is given twice: YAML would silently take the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        problem=f"the key {key.value!r} is given twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


_RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)")
_KEYS = {"name", "description", "values", "buckets", "provenance", "rationale", "origin"}


def read_schema(path: str | Path) -> Schema:
    """The schema in a YAML file. Raises BadInput naming file and attribute."""
    path = Path(path)
    data = read_yaml(path)
    if not isinstance(data, dict) or not isinstance(data.get("attributes"), list):
        raise BadInput(
            "has no list `attributes`.", where=path.name, fix="See data_samples/schemas for examples."
        )
    attributes, coarsenings = [], {}
    for entry in data["attributes"]:
        attribute, coarsening = _attribute(entry, path.name)
        attributes.append(attribute)
        if coarsening:
            coarsenings[attribute.name] = coarsening
    return Schema(tuple(attributes), coarsenings)


def read_yaml(path: Path) -> Any:
    """A YAML file's content. Raises BadInput naming the line where it cannot be read."""
    try:
        return yaml.load(path.read_text("utf-8"), _Strict)  # noqa: S506  a safe loader
    except FileNotFoundError:
        raise BadInput("does not exist.", where=path.name) from None
    except IsADirectoryError:
        raise BadInput("is a folder, not a file.", where=path.name) from None
    except PermissionError:
        raise BadInput("may not be read.", where=path.name, fix="Change its permissions.") from None
    except UnicodeDecodeError:
        raise BadInput("is not UTF-8.", where=path.name, fix="Save it as UTF-8.") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise BadInput(f"is not valid YAML ({error.problem}).", where=f"{path.name}{line}") from None
    except (yaml.YAMLError, RecursionError):  # control characters; nested without end
        raise BadInput("is not valid YAML.", where=path.name) from None


def _attribute(entry: Any, where: str) -> tuple[Attribute, Coarsening | None]:
    if not isinstance(entry, dict) or not entry.get("name"):
        raise BadInput("holds an attribute without a name.", where=where)
    name = str(entry["name"])
    place = f"{where}, attribute {name!r}"
    if unknown := sorted(set(entry) - _KEYS):
        raise BadInput(f"has the unknown key {unknown[0]!r}.", where=place, fix=f"Known are {sorted(_KEYS)}.")
    buckets = {str(b): _expand(values) for b, values in (entry.get("buckets") or {}).items()}
    inside = [v for values in buckets.values() for v in values]
    if twice := sorted(v for v, k in Counter(inside).items() if k > 1):
        raise BadInput(
            f"{twice[0]!r} is in two buckets.", where=place, fix="Put every value into one bucket."
        )
    values = _expand(entry["values"]) if "values" in entry else inside
    attribute = Attribute(
        name,
        tuple(values),
        entry.get("description", ""),
        entry.get("provenance", "declared"),
        entry.get("rationale", ""),
    )
    return attribute, _coarsening(attribute, buckets, inside, entry.get("origin", "shipped"), place)


def _coarsening(
    attribute: Attribute, buckets: Mapping[str, Sequence[str]], inside: Sequence[str], origin: str, where: str
) -> Coarsening | None:
    if not buckets:
        return None
    if len(buckets) > MAX_BUCKETS:
        raise BadInput(f"has {len(buckets)} buckets; at most {MAX_BUCKETS} are allowed.", where=where)
    if extra := sorted(set(inside) - set(attribute.values)):
        raise BadInput(f"{extra[0]!r} is in a bucket but not among the values.", where=where)
    bucket_of = {v: b for b, values in buckets.items() for v in values}
    if missing := [v for v in attribute.values if v not in bucket_of]:
        raise BadInput(f"{missing[0]!r} is in no bucket.", where=where, fix="Put every value into a bucket.")
    mapping = {v: bucket_of[v] for v in attribute.values}
    return Coarsening(attribute.name, mapping, tuple(buckets), origin).require_clear(where)


def _expand(values: Any) -> list[str]:
    """Values as texts, ranges "13..17" written out; a lone value or range needs no list."""
    out: list[str] = []
    for value in values if isinstance(values, list) else [values]:
        match = _RANGE.fullmatch(str(value).strip())
        if match:
            out.extend(str(i) for i in range(int(match[1]), int(match[2]) + 1))
        else:
            out.append(str(value))
    return out
