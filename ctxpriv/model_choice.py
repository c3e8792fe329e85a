"""Which models are to play the roles (DESIGN section 9). A choice, not the models themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.strict import check_keys

PLAYERS = ("auto", "local", "model")
OWN_MODEL = (
    "rewriter",
    "privacy_evaluator",
    "utility_evaluator",
    "adversary",
    "decoder",
    "mapper",
    "judge",
)
"""Roles that may be played by another language model than the rest."""


@dataclass(frozen=True)
class ModelChoice:
    """Names for people and plans.

    `language_model`: "auto" (Ollama where it answers, else the embedded one), "none", or
    what `models.choose` takes ("embedded", "ollama:llama3.1:8b", "gguf:PATH", "openai:NAME@URL").
    `embedder`: "auto" or a name. `generator`, `extractor`, `classifier`: "local" (needs no
    language model), "model", or "auto" (the model where a server answers, else local). The roles of
    rewriting (`rewriter`, which also plays the three agents, `privacy_evaluator`, `utility_evaluator`)
    and the `adversary` take the same, or a language model of their own. `adversary` "local": none but
    the classifier adversary. So do the roles of summaries: `decoder` ("local": the template), `mapper`
    and `judge` ("local": none).
    `trusted_hosts`: hosts other than this machine that texts may be sent to.
    """

    language_model: str = "auto"
    embedder: str = "auto"
    generator: str = "auto"
    extractor: str = "auto"
    classifier: str = "auto"
    rewriter: str = "auto"
    privacy_evaluator: str = "auto"
    utility_evaluator: str = "auto"
    adversary: str = "auto"
    decoder: str = "auto"
    mapper: str = "auto"
    judge: str = "auto"
    trusted_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for role in ("generator", "extractor", "classifier", *OWN_MODEL):
            player = getattr(self, role)
            if player in PLAYERS or role in OWN_MODEL and _names_a_model(player):
                continue
            own = ', or name a model such as "ollama:llama3.1:8b"' if role in OWN_MODEL else ""
            raise BadInput(
                f"{player!r} cannot play.",
                where=f"models, {role}",
                fix=f"Choose one of {', '.join(PLAYERS)}{own}.",
            )
        for name in ("language_model", "embedder"):
            if not isinstance(getattr(self, name), str) or not getattr(self, name).strip():
                raise BadInput(
                    "is not a model's name.", where=f"models, {name}", fix='Write "auto" or a name.'
                )

    def model_for(self, role: str) -> str:
        """The language model that would play `role`, as `models.choose` takes it."""
        player = getattr(self, role)
        return player if player not in PLAYERS else self.language_model

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


def _names_a_model(player: object) -> bool:
    return isinstance(player, str) and (player == "embedded" or ":" in player.strip(": "))
