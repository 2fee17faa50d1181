"""What the sentences about scores have in common: strategies, utilization, and two nodes that are compared."""

from ...judging.chapter import Judgement, applies, configured, exists, violated
from ...judging.scored import MOST, ScoredNode, ScorePair

CLEAR = 20
"""Percent by which utilizations differ, on the weighted mean, where no way of rounding makes scores equal."""
RISING, FALLING = ((0, 0), (100, 10)), ((0, 10), (100, 0))


def by(node: ScoredNode, strategy: str) -> None:
    """Go on where a node is scored by a strategy."""
    configured(node.strategy.kind == strategy, f"the strategy is not {strategy}")


def decided(node: ScoredNode, strategy: str) -> int:
    """Return the score by a strategy whose formula decides it."""
    by(node, strategy)
    applies(node.is_decided, "no answer says what the node has and gives")
    return exists(node.score, "no score is reported")


def simple(pair: ScorePair) -> None:
    """Go on where the shape, if the strategy has one, favours either full or empty nodes."""
    applies(pair.first.is_decided and pair.second.is_decided, "more is requested than the node has")
    applies(pair.first.strategy.shape in ((), RISING, FALLING), "the shape neither rises nor falls from end to end")


def favours(pair: ScorePair) -> Judgement:
    """Judge two nodes of which one has more requested: it scores no lower, or no higher, and not the same if much."""
    ordered = applies(pair.ordered(), "neither node has more requested of each resource")
    emptier, fuller = ordered.first, ordered.second
    rising = emptier.strategy.kind == MOST or emptier.strategy.shape == RISING
    low, high = ordered.scores
    clear = fuller.mean_utilization - emptier.mean_utilization >= CLEAR
    return violated(
        (high - low if rising else low - high) >= (1 if clear else 0),
        f"the {'emptier' if rising else 'fuller'} node scores {'as high' if clear else 'higher'}",
        got=f"{low} with {utilization(emptier)}, {high} with {utilization(fuller)}",
        allowed=f"the {'fuller' if rising else 'emptier'} one above" if clear else "no such order",
    )


def utilization(node: ScoredNode) -> str:
    """Write what is requested."""
    return ", ".join(f"{name} {float(value):g} %" for name, value in node.utilization.items())
