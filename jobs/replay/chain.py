"""
The time of the steps of traces.py without contention for links, in the manner of LogP: a message costs its sender and
its receiver traces.CALL each, and arrives LATENCY and bytes/BANDWIDTH after its sender has posted all of an exchange.
In milliseconds where SimGrid takes hours, and with a delay in the place of everything else the waits in order.
"""
import numpy as np

from replay import traces


class Network:
    """ns within a node and between nodes; bytes per ns of a rank, which shares a node's link with the others."""

    def __init__(self, per_node=64, latency=(400, 600), bandwidth=(8.0, 12.5 / 16), call=traces.CALL):
        self.per_node, self.latency, self.bandwidth, self.call = per_node, latency, bandwidth, call

    def travel(self, source, to, size):
        inside = source // self.per_node == to // self.per_node
        return np.where(inside, *self.latency) + size / np.where(inside, *self.bandwidth)

    def sum(self, t):
        """Recursive doubling."""
        own, step = np.arange(len(t)), 1
        while step < len(t):
            other = (own ^ step) % len(t)
            t = np.maximum(t, t[other] + self.travel(other, own, 0)) + 2 * self.call
            step *= 2
        return t


def play(steps, ranks, network):
    """ns at which each rank ends, and {name of an exchange: ns that a rank waits or posts in it, the mean}."""
    t, spent = np.zeros(ranks), {}
    for step in steps:
        if step[0] == "compute":
            t = t + step[1]
            continue
        before, work = t.mean(), 0
        if step[0] == "sum":
            t = network.sum(t)
        else:
            source, to, size = step[2]
            post = t + network.call * (np.bincount(source, minlength=ranks) + np.bincount(to, minlength=ranks))
            t, work = post + step[3], np.mean(step[3])
            np.maximum.at(t, to, post[source] + network.travel(source, to, size))
        name = "sums" if step[0] == "sum" else step[1]
        spent[name] = spent.get(name, 0) + t.mean() - before - work
    return t, spent


def waits(steps, ranks):
    """Waits in order: the longest chain of messages."""
    idle = [(*s[:3], np.zeros(ranks)) if s[0] == "exchange" else s for s in steps if s[0] != "compute"]
    return play(idle, ranks, Network(1, (1, 1), (np.inf, np.inf), 0))[0].max()
