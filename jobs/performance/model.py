"""
The time of an iteration of qn with multigrid on P ranks: work, messages and reductions, each with what counts.py
measures.

    T = t_local 5.7 n/P + t_vector n/P + m (q a + 24 g/B) + r a log2 P
        + k ( sum over levels of [ t_entry 4 e_l n_l/P_l + x_l (q_l a + 12 g_l/B) ] + a log2 P_L + a log2 P )

n vertices, q neighbours and g = c (n/P)^(2/3) ghosts of a rank, m exchanges and r reductions of an iteration, k inner
iterations; level l has n_l rows of e_l entries on P_l ranks and x_l exchanges; a latency, B bandwidth of a rank. A halo
of the width w vertices on level l has g_l = (s + 2 w)^3 - s^3 ghosts, s^3 = n_l/P_l, and (1 + 2 w/s)^3 - 1 neighbours
where that is more than 26.

"""
import json

import numpy as np

import pictures
from performance import counts
from tables import markdown, number

OUT = "out/performance/model"
ALPHA = 2e-6  # s, a message or a step of a reduction
BANDWIDTH = 0.4e9  # B/s of a rank: 25 GB/s of a node's network over 64 ranks
TETS = 5.7  # of a vertex in large meshes
COARSEST, ROWS_OF_A_RANK = 100, 50  # where aggregation ends; fewer rows leave ranks out
MOST = 26  # neighbours of a part that is a cube among cubes
SOME = (1, 2, 16, 128, 1024, 10000)


class Measured:
    """Parameters of the formula."""

    def __init__(self, data):
        self.counts = sorted(data["counts"], key=lambda c: c["ranks"])
        self.times = {t["ranks"]: t for t in data["times"]}
        self.c = data["ghosts"][-1]["c"]
        self.parts = data["ghosts"]
        self.levels = data["levels"]
        self.weak = dict(enumerate(data["weak"], 1))  # ms
        self.inner = self.times[2]["inner"]
        most = self.summary(self.counts[-1])
        self.exchanges, self.reductions, self.inner_reductions = (
            most["exchanges"],
            most["reductions"],
            most["inner_reductions"],
        )
        self.width = self.c / 6  # of the finest level: g = c s^2 = (s + 2 w)^3 - s^3, about 6 w s^2
        entries = sum(4 * l["rows"] * l["entries"] for l in self.levels) / self.levels[0]["rows"]
        self.entry = {p: 1e-9 * t["solve"] / entries for p, t in self.times.items()}  # s

    @staticmethod
    def summary(count):
        """Of a run on some ranks: messages, bytes and reductions, of an iteration and of an inner one."""
        # a fit below 0: residuals in double precision, which only the exact solves of RUNS need now and then
        sends = [
            s for s in count["sends"] if s["name"].lstrip("-").isdigit() and s["per_iteration"]["messages"] > -0.05
        ]
        call = {s["name"]: s for s in count["sends"] if not s["name"].lstrip("-").isdigit()}
        finest = max(sends, key=lambda s: s["per_inner"]["bytes"])
        neighbours = finest["per_inner"]["messages"] / 3  # two smoothing steps and the direction
        local = sum(s["per_iteration"]["messages"] for s in sends)
        return {
            "neighbours": neighbours,
            "exchanges": local / neighbours,
            "local": local,
            "local_bytes": sum(s["per_iteration"]["bytes"] for s in sends),
            "inner": sum(s["per_inner"]["messages"] for s in sends),
            "inner_most": sum(s["per_inner"]["most"] for s in sends),
            "inner_bytes": sum(s["per_inner"]["bytes"] for s in sends),
            "reductions": call["allreduce"]["per_iteration"]["messages"],
            "inner_reductions": call["allreduce"]["per_inner"]["messages"],
        }

    def hierarchy(self, n, ranks):
        """Rows, entries of a row and ranks of each level of a mesh of n vertices, by the ratios of the measured one."""
        rows = [l["rows"] for l in self.levels]
        ratio = [a / b for a, b in zip(rows, rows[1:])]
        result, active, i = [], ranks, 0
        while True:
            entries = min(n, self.levels[min(i, len(self.levels) - 2)]["entries"])
            result.append({"rows": n, "entries": entries, "ranks": active})
            if n <= COARSEST:
                result[-1]["ranks"] = 1
                return result
            n, i = max(n / ratio[min(i, len(ratio) - 1)], 1), i + 1
            active = max(1, min(active, round(n / ROWS_OF_A_RANK)))

    def halo(self, rows, ranks, width):
        """Ghosts and neighbours of one of them."""
        if ranks < 2:
            return 0, 0
        s = (rows / ranks) ** (1 / 3)
        ghosts = min(rows - rows / ranks, (s + 2 * width) ** 3 - s**3)
        return ghosts, min(ranks - 1, max(MOST, (1 + 2 * width / s) ** 3 - 1))

    @staticmethod
    def cycle_exchanges(level):
        """
        Two smoothing steps, the coarse level's vector down and up, and on the finest level the direction of conjugate
        gradients.
        """
        return 5 if level == 0 else 4

    def level_halo(self, level, l):
        """Rows of coarse levels have entries of the next rows but one, on the finest those of the mesh's edges."""
        return self.halo(l["rows"], l["ranks"], self.width if level == 0 else 1)

    def inner_bytes(self, n, ranks):
        """What a rank sends in an inner iteration."""
        return sum(
            12 * self.cycle_exchanges(i) * self.level_halo(i, l)[0] for i, l in enumerate(self.hierarchy(n, ranks)[:-1])
        )

    def time(self, n, ranks):
        """Seconds of an iteration, by part."""
        speed = self.times[min(ranks, 2)]
        own, log2 = n / ranks, np.log2(ranks) if ranks > 1 else 0
        ghosts, neighbours = self.halo(n, ranks, self.width)
        levels = self.hierarchy(n, ranks)
        work = sum(4 * self.entry[min(ranks, 2)] * l["entries"] * l["rows"] / l["ranks"] for l in levels[:-1])
        halos = 0
        for i, l in enumerate(levels[:-1]):
            g, q = self.level_halo(i, l)
            halos += self.cycle_exchanges(i) * (q * ALPHA + 12 * g / BANDWIDTH)
        return {
            "local": 1e-9 * speed["local"] * TETS * own,
            "vectors": 1e-9 * speed["vector"] * own,
            "solve": self.inner * work,
            "halos": self.exchanges * (neighbours * ALPHA + 24 * ghosts / BANDWIDTH),
            "halos of the solve": self.inner * halos,
            "sums": (self.reductions + self.inner * (self.inner_reductions + 1)) * ALPHA * log2,
        }


def lines_of_counts(m):
    for count in m.counts:
        s = m.summary(count)
        yield (
            count["ranks"],
            f"{count['vertices'] / count['ranks']:,.0f}",
            len(count["levels"]),
            f"{s['neighbours']:.1f}",
            f"{s['local']:.0f}",
            f"{s['local_bytes'] / 1e3:.1f}",
            f"{s['reductions']:.1f}",
            f"{s['inner']:.0f}",
            f"{s['inner_most']:.0f}",
            f"{s['inner_bytes'] / 1e3:.1f}",
            f"{m.inner_bytes(count['vertices'], count['ranks']) / 1e3:.1f}",
            f"{s['inner_reductions']:.1f}",
        )


def lines_of_times(m, vertices, measured):
    first = sum(m.time(vertices(1), 1).values())
    for ranks in SOME:
        parts = m.time(vertices(ranks), ranks)
        total = sum(parts.values())
        efficiency = first / total * vertices(ranks) / vertices(1) / ranks
        yield (
            f"{ranks:,}",
            f"{vertices(ranks):,.0f}",
            number(measured.get(ranks), 3),
            number(1e3 * total, 3),
            *(number(1e3 * t, 2) for t in parts.values()),
            f"{100 * efficiency:.0f}",
        )


def picture(m, weak, strong):
    """Time of an iteration over ranks, and its parts."""
    all_ranks = np.unique(np.round(2 ** np.arange(0, 13.5, 0.5))).astype(int)
    for name, vertices in (("weak", weak), ("strong", strong)):
        with open(f"{OUT}/{name}.dat", "w", encoding="utf-8") as file:
            for p in all_ranks:
                parts = m.time(vertices(p), int(p))
                work = parts["local"] + parts["vectors"] + parts["solve"]
                halos = parts["halos"] + parts["halos of the solve"]
                file.write(f"{p} {1e3 * sum(parts.values())} {1e3 * work} {1e3 * halos} " f"{1e3 * parts['sums']}\n")
    curves = lambda name: ", ".join(
        f"'{name}.dat' using 1:{i + 2} with lines lw 1.8 title '{what}'"
        for i, what in enumerate(("an iteration", "work", "halos", "sums"))
    )
    pictures.draw(
        OUT,
        "model",
        "1000,380",
        f"""set datafile separator whitespace; set multiplot layout 1,2; set logscale xy
set xlabel 'ranks'; set ylabel 'ms of an iteration'; set format y '%g'
set key bottom right; set title '101,614 vertices on each rank'; set yrange [0.01:1000]; plot {curves('weak')}
set key top right; set title '10 million vertices'; set yrange [0.01:20000]; plot {curves('strong')}""",
        "docs/images/performance_model.png",
    )


def predict(path):
    with open(path, encoding="utf-8") as file:
        m = Measured(json.load(file))
    weak, strong = (lambda p: 101614 * p), (lambda p: 1e7)
    picture(m, weak, strong)
    two = m.times[2]
    sent = markdown(
        (
            "ranks",
            "vertices on each",
            "levels",
            "neighbours",
            "messages of an iteration",
            "kB",
            "sums",
            "messages of an inner iteration",
            "at most",
            "kB",
            "kB by the formula",
            "sums",
        ),
        lines_of_counts(m),
    )
    head = (
        "ranks",
        "vertices",
        "measured [ms]",
        "ms",
        "local",
        "vectors",
        "solve",
        "halos",
        "halos of the solve",
        "sums",
        "efficiency [%]",
    )
    parameters = (
        f"Measured on two ranks at once, of each: {two['local']:.0f} ns per tetrahedron, "
        f"{two['vector']:.0f} ns of vectors and {two['solve']:.0f} ns of an inner iteration per vertex, "
        f"{1e12 * m.entry[2]:.0f} ps per entry of a level and pass; "
        f"k = {m.inner:.1f}, m = {m.exchanges:.1f}, r = {m.reductions:.1f}; c = {m.c:.1f} from 512 parts of METIS."
    )
    return (
        f"{sent}\n{parameters}\n\nWeak scaling, 101,614 vertices on each rank:\n\n"
        f"{markdown(head, lines_of_times(m, weak, m.weak))}\n"
        f"Strong scaling, 10 million vertices:\n\n{markdown(head, lines_of_times(m, strong, {}))}"
    )


def measure(_):
    counts.measure()
    return predict(f"{OUT}/measured.json")
