"""The import of `openvino_genai`, with its telemetry kept out."""

from __future__ import annotations

import sys
from typing import Any


def import_genai() -> Any:
    """`openvino_genai`, with OpenVINO's telemetry kept from loading.

    `import openvino` reports the import to a web address and leaves an identifier in the
    home folder. It falls back to a stub when its telemetry package cannot be imported, which
    is what the None entry says; where it was imported before, its consent is withdrawn.
    """
    if "openvino_genai" not in sys.modules or sys.modules.get("openvino_telemetry") is not None:
        _silence_telemetry()
    import openvino_genai

    return openvino_genai


def _silence_telemetry() -> None:
    loaded = sys.modules.get("openvino_telemetry")
    if loaded is None:
        sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
        return
    try:
        loaded.Telemetry().consent = False  # the one instance that its users share
    except RuntimeError:  # imported, but nobody has set it up
        sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
