"""Where an endpoint is: text may leave this machine only when the user confirmed it."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from ctxpriv.errors import ModelFailed


def is_loopback(url: str) -> bool:
    """Whether `url` names this machine. Names other than localhost are not resolved."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def place(url: str) -> str:
    """For people: "this machine" or host and port, never credentials or paths."""
    if is_loopback(url):
        return "this machine"
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port}" if parts.port else f"{parts.hostname}"


def check_place(url: str, allow_remote: bool) -> None:
    """Raises ModelFailed for an address that is not http(s), or leaves the machine unconfirmed."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelFailed(
            "The address of a model server must start with http:// or https:// and name a host."
        )
    if not is_loopback(url) and not allow_remote:
        raise ModelFailed(
            f"The model server at {place(url)} is not on this machine: every prompt, private text "
            "included, would be sent there. This needs a confirmation (allow_remote=True, or the "
            "check box in the app) by someone who may decide it."
        )
