"""Messages, bytes and waits in order of an iteration: those of runs, and those of the generator for the same box."""
from replay import chain, iteration, pattern, runs, traces

OUT = "out/replay/validate"
CASES = (
    (8, (24, 24, 24)),
    (8, (52, 52, 52)),
    (16, (48, 24, 24)),
    (16, (108, 54, 54)),
    (32, (48, 48, 24)),
    (32, (104, 104, 52)),
    (64, (48, 48, 48)),
    (64, (64, 64, 64)),
)


def lines():
    for ranks, cells in CASES:
        size = [c / cells[-1] for c in cells]
        vertices, (messages, sent, waits) = runs.of_an_iteration(f"{OUT}/{ranks}_{cells[0]}", ranks, cells, size)
        steps = iteration.steps(pattern.Parts(ranks, vertices, cells))
        made, made_bytes, _, _ = traces.count(steps, ranks)
        yield (
            *(ranks, f"{vertices / ranks:,.0f}", f"{messages:.0f}", f"{made.mean():.0f}"),
            *(f"{sent / 1e3:.0f}", f"{made_bytes.mean() / 1e3:.0f}"),
            *(f"{waits:.1f}", f"{chain.waits(steps, ranks):.0f}"),
        )


def table(_):
    return 2, ["ranks", "vertices on each", *runs.PAIRS], lines()
