"""`make bench`: what is slow, measured; ratios are taken within this one run.

Prints a line per figure and, last, one JSON object with all of them. A figure whose
ingredients are missing is null, with the reason on its line.
"""

from __future__ import annotations

import json
import platform
import sys

from benchmarks import aim, checks, generation, rewriting, spin

SECTIONS = (aim.measure, generation.measure, rewriting.measure, spin.measure, checks.measure)


def main() -> int:
    print(f"python {platform.python_version()} on {platform.machine()}")
    figures: dict[str, float | None] = {}
    for measure in SECTIONS:
        for name, value, remark in measure():
            figures[name] = value
            print(f"{name:32} {'-' if value is None else format(value, '.3f'):>10}  {remark}", flush=True)
    print(json.dumps(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
