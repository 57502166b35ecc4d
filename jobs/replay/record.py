"""What record.c wrote: an iteration of every rank, its messages, and its lines of a time-independent trace."""
import glob
import os
import subprocess

import program
from outputs import load
from replay import traces

BOX = "inputs/bench/box.yaml"
OPTIONS = {"operator_type": "multigrid", "output_every": 0, "time_steps": 1}
AFTER_CYCLE, LAST = "48", "72"  # bytes of the two sums of an iteration of qn with five pairs
LIBRARIES = "out/replay"


def library(name):
    """Builds jobs/.../NAME.c as a library to be preloaded."""
    source = f"jobs/{'replay' if name == 'record' else 'performance'}/{name}.c"
    target = os.path.abspath(f"{LIBRARIES}/{name}.so")
    if not program.is_newer(target, source):
        os.makedirs(LIBRARIES, exist_ok=True)
        if subprocess.call(["mpicc", "-shared", "-fPIC", "-O2", source, "-o", target]):
            raise program.Failure(f"mpicc cannot build {source}")
    return target


def run(folder, ranks, cells, size, iterations=9, tool="record", events=30000):
    """A box of `cells` on some ranks, under the library of that name. Gives run.json."""
    for old in glob.glob(f"{folder}/{tool}.*[0-9]"):
        os.remove(old)
    os.environ[tool.upper()] = f"{folder}/{tool}"
    os.environ["RECORD_EVENTS"] = str(events)
    options = {
        "mesh_box_cells": ",".join(map(str, cells)),
        "mesh_box_size": ",".join(map(str, size)),
        "solver_max_it": iterations,
    }
    program.run("run", BOX, folder, {**OPTIONS, **options}, ranks=ranks, preload=library(tool))
    return load(folder, "run.json")


class Rank:
    """
    events: lists of words without those of `comm`; groups {id: ranks}.
    """

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            words = [line.split() for line in file]
        self.groups = {w[1]: [int(r) for r in w[3:]] for w in words if w[0] == "comm"}
        self.events = [w for w in words if w[0] != "comm"]

    def iterations(self, ranks):
        """The events of each iteration of qn with five pairs: between the last sums of two, one sum of all ranks."""
        sums = [i for i, e in enumerate(self.events) if e[0] == "allreduce" and len(self.groups[e[2]]) == ranks]
        size = [self.events[i][1] for i in sums]
        return [
            self.events[sums[k] + 1 : sums[k + 2] + 1]
            for k in range(len(sums) - 2)
            if size[k : k + 3] == [LAST, AFTER_CYCLE, LAST]
        ]


def read(folder, ranks):
    """The Rank of each rank."""
    return [Rank(f"{folder}/record.{r}") for r in range(ranks)]


def last_iteration(all_ranks):
    """Of every rank, the events of the last iteration."""
    found = [r.iterations(len(all_ranks)) for r in all_ranks]
    if not all(found):
        raise program.Failure("no whole iteration with five pairs was recorded")
    return [f[-1] for f in found]


def counted(events):
    """Of a rank's events: messages sent, their bytes, sums."""
    sent = [float(e[4]) for e in events if e[0] == "send"]
    return len(sent), sum(sent), sum(e[0] == "allreduce" for e in events)


def compute(events):
    """Processor time between calls, ns."""
    return sum(float(e[-1]) for e in events)


class Lines:
    """
    Lines of a trace of one rank. All sums are as long as the largest: SimGrid 3.32 ends in a fault when a later one
    is longer than the first.
    """

    def __init__(self, rank, groups, ranks, scale, tags):
        self.rank, self.groups, self.ranks, self.scale, self.tags = rank, groups, ranks, scale, tags
        self.largest = 0
        self.open = {}  # by number, what is waited for: ("receive", from, tag) or ("collective", call, bytes, group)
        self.text = []
        self.due = 0.0

    def flush(self):
        if self.due:
            self.text.append(traces.computed(self.rank, self.due))
            self.due = 0.0

    def tag(self, *key):
        return self.tags.setdefault(key, len(self.tags))

    def collective(self, what, size, group):
        """A call of all ranks as SimGrid knows it, of some as messages: the dissemination of what each has."""
        members = self.groups[group]
        n = len(members)
        self.due += traces.CALL
        self.flush()
        if n == self.ranks and what == "allreduce":
            self.text.append(f"{self.rank} allreduce {self.largest} 0\n")
            return
        at, step = members.index(self.rank), 1
        while step < n:
            to, source = members[(at + step) % n], members[(at - step) % n]
            tag = self.tag("collective", step)
            grown = max(1, size * min(step, n - step) if what in ("allgather", "gather") else size)
            self.text.append(f"{self.rank} irecv {source} {tag} {grown}\n{self.rank} isend {to} {tag} {grown}\n")
            self.text.append(f"{self.rank} wait {source} {self.rank} {tag}\n")
            step *= 2

    def wait(self, numbers):
        """Sends are waited for with the receives after them: they are buffered."""
        done = [self.open.pop(number) for number in numbers if number in self.open]
        received = [what for what in done if what[0] == "receive"]
        if received:
            self.flush()
            if any(what[0] == "receive" for what in self.open.values()):
                for _, source, tag in received:
                    self.text.append(f"{self.rank} wait {source} {self.rank} {tag}\n")
            else:
                self.text.append(f"{self.rank} waitall\n")
        for what in done:
            if what[0] == "collective":
                self.collective(*what[1:])

    def add(self, event):
        what, *rest = event
        self.due += self.scale * float(rest[-1])
        if what in ("send", "recv"):
            number, peer, tag, size, comm = rest[:5]
            self.due += traces.CALL
            tag = self.tag(tag, len(self.groups[comm]))
            call = "isend" if what == "send" else "irecv"
            if what == "send":
                self.flush()
            self.text.append(f"{self.rank} {call} {peer} {tag} {max(1, int(size))}\n")
            if what == "recv":
                self.open[number] = ("receive", int(peer), tag)
        elif what == "wait":
            self.wait(rest[:-1])
        elif what == "start":
            self.open[rest[0]] = ("collective", rest[1], int(rest[2]), rest[3])
        else:
            self.collective(what, int(rest[0]), rest[1])


def write(folder, all_ranks, events, scale=1.0):
    """The trace of recorded events, with compute times times `scale`. Gives the file of names."""
    os.makedirs(folder, exist_ok=True)
    ranks, tags = len(all_ranks), {}
    names = os.path.join(folder, "traces")
    with open(names, "w", encoding="utf-8") as list_:
        for rank, mine in enumerate(events):
            lines = Lines(rank, all_ranks[rank].groups, ranks, scale, tags)
            lines.largest = max((int(e[1]) for e in mine if e[0] == "allreduce"), default=0)
            for event in mine:
                lines.add(event)
            lines.flush()
            path = os.path.join(folder, f"t{rank}")
            list_.write(os.path.abspath(path) + "\n")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{rank} init\n{''.join(lines.text)}{rank} finalize\n")
    return names
