"""An iteration on full nodes, without contention, with more or fewer entries of gathered levels on a rank."""
from replay import chain, iteration, pattern, scale

RANK_ENTRIES = (2000, 5000, 10000, 20000, 50000, 100000)
CASES = [case for case in scale.CASES if case[0] in scale.MAIN]


def lines():
    for title, vertices in CASES:
        for ranks in scale.RANKS:
            parts, row = pattern.Parts(ranks, vertices(ranks)), []
            for entries in RANK_ENTRIES:
                steps = iteration.steps(parts, costs=iteration.Costs(scale.FULL_NODE), rank_entries=entries)
                row.append(f"{1e-6 * chain.play(steps, ranks, chain.Network())[0].max():.4g}")
            yield title, f"{ranks:,}", *row


def table(_):
    return 2, ("scaling", "ranks", *(f"{n:,} entries a rank [ms]" for n in RANK_ENTRIES)), lines()
