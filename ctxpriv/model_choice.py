"""Which models are to play the roles (DESIGN section 9). A choice, not the models themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.strict import check_keys

PLAYERS = ("auto", "local", "model")


@dataclass(frozen=True)
class ModelChoice:
    """Names for people and plans.

    `language_model`: "auto" (Ollama where it answers, else the embedded one), "none", or
    what `models.choose` takes ("embedded", "ollama:llama3.1:8b", "gguf:PATH", "openai:NAME@URL").
    `embedder`: "auto" or a name. `generator`, `extractor`, `classifier`: "local" (needs no
    language model), "model", or "auto" (the model where a server answers, else local).
    `trusted_hosts`: hosts other than this machine that texts may be sent to.
    """

    language_model: str = "auto"
    embedder: str = "auto"
    generator: str = "auto"
    extractor: str = "auto"
    classifier: str = "auto"
    trusted_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for role in ("generator", "extractor", "classifier"):
            if getattr(self, role) not in PLAYERS:
                raise BadInput(
                    f"{getattr(self, role)!r} cannot play.",
                    where=f"models, {role}",
                    fix=f"Choose one of {', '.join(PLAYERS)}.",
                )
        for name in ("language_model", "embedder"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise BadInput(
                    "is not a model's name.", where=f"models, {name}", fix='Write "auto" or a name.'
                )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "trusted_hosts": list(self.trusted_hosts)}

    @staticmethod
    def from_dict(data: Mapping[str, Any], where: str = "models") -> ModelChoice:
        """Raises BadInput for unknown keys, naming the nearest known one."""
        check_keys(data, tuple(ModelChoice.__dataclass_fields__), where)
        hosts = data.get("trusted_hosts", ())
        if isinstance(hosts, str):
            hosts = (hosts,)
        return ModelChoice(**{**data, "trusted_hosts": tuple(hosts)})
