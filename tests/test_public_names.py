"""`from ctxpriv import ...`: every public name exists, and none is loaded before it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ctxpriv

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ctxpriv.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(ctxpriv, name) is not None


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="Corpsu"):
        ctxpriv.Corpsu  # noqa: B018


def test_importing_the_package_loads_nothing_of_the_private_side() -> None:
    code = (
        "import sys, ctxpriv, ctxpriv.release_bundle\n"
        "assert 'ctxpriv.corpus' not in sys.modules and 'torch' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60).returncode == 0
