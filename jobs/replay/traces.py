"""
Time-independent traces for SimGrid, one file a rank and one with their names. An iteration is a list of steps that all
ranks take:

    ("compute", ns [ranks])
    ("exchange", name, (from, to, bytes), ns [ranks])   messages, and the work that is done before they are waited for
    ("sum", bytes)                                      MPI_Allreduce of all ranks

The processor time of MPI's calls, CALL of each message that a rank sends or receives, is part of what it computes.
"""
import os

import numpy as np

CALL = 400  # ns of a message, on either side
GRID = 100  # ns: times are multiples, so that events of many ranks coincide, which SimGrid simulates together


def lines_of_exchange(tag, table, ranks):
    """For each rank the text that posts its messages: receives first, as PETSc and wring do."""
    source, to, size = table
    text = [[] for _ in range(ranks)]
    for s, t, b in zip(source.tolist(), to.tolist(), np.maximum(1, size).astype(int).tolist()):
        text[t].append(f"{t} irecv {s} {tag} {b}\n")
    for s, t, b in zip(source.tolist(), to.tolist(), np.maximum(1, size).astype(int).tolist()):
        text[s].append(f"{s} isend {t} {tag} {b}\n")
    return ["".join(t) for t in text]


def write(folder, ranks, steps):
    """Gives the file with the names. Steps that are the same object are formatted once."""
    os.makedirs(folder, exist_ok=True)
    posts = {}
    for step in steps:
        if step[0] == "exchange" and id(step[2]) not in posts:
            posts[id(step[2])] = lines_of_exchange(len(posts), step[2], ranks)
    names = os.path.join(folder, "traces")
    with open(names, "w", encoding="utf-8") as list_:
        for rank in range(ranks):
            path = os.path.join(folder, f"t{rank}")
            list_.write(os.path.abspath(path) + "\n")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"{rank} init\n")
                file.writelines(lines_of_rank(rank, steps, posts))
                file.write(f"{rank} finalize\n")
    return names


def lines_of_rank(rank, steps, posts):
    due = 0
    for step in steps:
        if step[0] == "compute":
            due += step[1][rank]
        elif step[0] == "sum":
            yield computed(rank, due)
            yield f"{rank} allreduce {step[1]} 0\n"
            due = 0
        elif mine := posts[id(step[2])][rank]:
            yield computed(rank, due + CALL * mine.count("\n"))
            yield mine
            yield computed(rank, step[3][rank])
            yield f"{rank} waitall\n"
            due = 0
        else:
            due += step[3][rank]
    yield computed(rank, due)


def computed(rank, ns):
    ns = round(ns / GRID) * GRID
    return f"{rank} compute {ns}\n" if ns > 0 else ""


def count(steps, ranks):
    """Messages and bytes that each rank sends, exchanges it takes part in, and sums."""
    messages, sent, waits = np.zeros(ranks), np.zeros(ranks), np.zeros(ranks)
    for step in steps:
        if step[0] == "exchange":
            source, to, size = step[2]
            messages += np.bincount(source, minlength=ranks)
            sent += np.bincount(source, weights=np.maximum(1, size), minlength=ranks)
            part = np.zeros(ranks, bool)
            part[source] = part[to] = True
            waits += part
    return messages, sent, waits, sum(step[0] == "sum" for step in steps)
