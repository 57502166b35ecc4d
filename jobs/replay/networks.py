"""Strong scaling on other networks and with more ranks a node, replayed by SimGrid: 10 million vertices."""
from replay import scale

VERTICES = 10_000_000
CASES = (("fat_tree_100", 64), ("fat_tree_200", 64), ("dragonfly_200", 64), ("fat_tree_100", 128))
MOST = 1024


def lines():
    for platform, per_node in CASES:
        first, last = (
            scale.replayed(ranks, VERTICES, platform=platform, per_node=per_node) for ranks in (per_node, MOST)
        )
        ideal = first * per_node / MOST
        yield platform, per_node, f"{first:.4g}", f"{last:.4g}", f"{100 * ideal / last:.0f}"


def table(_):
    return 2, ("platform", "ranks a node", "one node [ms]", f"{MOST:,} ranks [ms]", "efficiency [%]"), lines()
