"""The calibrations kept in a workspace: the last one of each classifier."""

from __future__ import annotations

from ctxpriv.classify.calibrate import Calibration
from ctxpriv.files import damaged, locked, read_json, write_json
from ctxpriv.models.base import ModelIdentity
from ctxpriv.workspace import Workspace

NAME = "calibrations.json"


def identity_key(identity: ModelIdentity) -> str:
    """A classifier by kind, name and weights: another table or other weights have another key."""
    return f"{identity.kind}:{identity.name}:{identity.digest}"


def load_calibrations(workspace: Workspace) -> dict[str, Calibration]:
    """By `identity_key`. Empty where nothing was calibrated; raises WorkspaceFailed for a damaged file."""
    path = workspace.root / NAME
    if not path.exists():
        return {}
    try:
        return {key: Calibration.from_dict(data) for key, data in read_json(path).items()}
    except (AttributeError, KeyError, TypeError, ValueError):
        raise damaged(path) from None


def save_calibration(workspace: Workspace, calibration: Calibration) -> None:
    """Keeps `calibration` in place of an earlier one of the same classifier."""
    path = workspace.root / NAME
    busy = f"{path}: another ctxpriv process has been using it for half a minute."
    with locked(workspace.root / "locks" / "calibrations.lock", busy):
        kept = load_calibrations(workspace) | {identity_key(calibration.identity): calibration}
        write_json(path, {key: value.to_dict() for key, value in kept.items()})
