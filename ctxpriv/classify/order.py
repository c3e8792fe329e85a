"""In which order a reviewer should look at the attributes of one audience."""

from __future__ import annotations

from collections.abc import Sequence

from ctxpriv.classify.expert import ExpertReview
from ctxpriv.context import Judgement, Partition
from ctxpriv.schema import Schema


def review_order(
    schema: Schema,
    partition: Partition,
    judgements: Sequence[Judgement],
    expert: ExpertReview | None = None,
) -> tuple[str, ...]:
    """The attributes, those that need a look first.

    First where the decision differs from the proposal, then where it differs from the expert,
    then where no sample was usable, then by the agreement of the samples, lowest first, and as
    in the schema among equals. Raises BadInput unless the partition covers the schema.
    """
    proposals = {j.attribute: j for j in judgements}
    opinions = expert.on(partition.audience) if expert else {}

    def needs(name: str) -> tuple[bool, bool, bool, float]:
        proposal, opinion, side = proposals.get(name), opinions.get(name), partition.side(name)
        answered = proposal is not None and proposal.samples > 0
        differs = answered and proposal.side != side
        expert_differs = opinion is not None and opinion.side != side
        # False sorts first.
        return not differs, not expert_differs, answered, proposal.agreement if answered else 0.0

    return tuple(sorted(schema.names, key=needs))
