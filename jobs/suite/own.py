"""Problems and entrants of one's own, from a file as `python3 jobs suite --help` describes it."""
import hashlib
import json
import os
import re
from dataclasses import dataclass

import outputs
import program
from program import Failure
from suite import decks, design, entrants, runs

SIZES = {float(size): size for size in design.SIZES}


@dataclass
class Problem:
    """A deck, and keys of wring that go with it."""

    name: str
    size: str
    deck: str
    keys: dict
    budget = None

    def level(self, factor):
        return self.size if factor == "size" else None


def named(path, found, kind):
    """The entries of a kind, {name: map}."""
    if not isinstance(found, dict) or not found:
        raise Failure(f"{path}: {kind}: expected a map of names")
    for name, entry in found.items():
        if not re.fullmatch(r"[a-z]\w*", str(name)) or not isinstance(entry or {}, dict):
            raise Failure(f"{path}: {kind}: {name}: expected a name of small letters, and a map of keys")
    return {name: entry or {} for name, entry in found.items()}


def texts(where, keys):
    """Values of keys as wring takes them on a command line."""
    if not isinstance(keys, dict):
        raise Failure(f"{where}: expected a map such as {{material_young: 1e6}}")
    for key, value in keys.items():
        if value is None or isinstance(value, dict):
            raise Failure(f"{where}: {key}: expected a value")
    return {key: program.text_of(value) for key, value in keys.items()}


def problem(path, name, entry):
    where = f"{path}: problem {name}"
    program.check_keys(where, entry, ("deck", "size", "keys"))
    deck = os.path.join(os.path.dirname(path), str(entry.get("deck")))
    if not os.path.isfile(deck):
        raise Failure(f"{where}: no deck {entry.get('deck')}")
    try:
        size = SIZES[float(entry.get("size", 1e4))]
    except (KeyError, TypeError, ValueError):
        raise Failure(f"{where}: size is {entry['size']}, expected one of {', '.join(design.SIZES)}") from None
    keys = texts(f"{where}: keys", entry.get("keys") or {})
    for key in keys:
        if key.lower().startswith(("compare_", "output_", "variant_")):
            raise Failure(f"{where}: keys: {key} is a key that the suite gives, expected others")
    return Problem(name, size, deck, keys)


def read(path, seed):
    """Problems of a file, whose entrants take the place of those of the suite; seed: of a set that it names."""
    table = program.load_table(path, ("problems", "entrants"))
    if "entrants" in table:
        found = named(path, table["entrants"], "entrants").items()
        own = {n: texts(f"{path}: entrant {n}", keys or entrants.ENTRANTS.get(n, {})) for n, keys in found}
        entrants.ENTRANTS.clear()
        entrants.ENTRANTS.update(own)
    if table.get("problems") in decks.SETS:
        return decks.of_set(table["problems"], seed)
    if seed:
        raise Failure(f"--seed needs problems: {', '.join(decks.SETS)}, {path} has its own")
    return [problem(path, *entry) for entry in named(path, table.get("problems"), "problems").items()]


def check(out, problems, names, seconds):
    """Refuses what wring would refuse of decks and entrants, before the first run."""
    for p in [p for p in problems if p.deck] or problems[:1]:
        program.run("check", decks.write(p, f"{out}/inputs"), f"{out}/check", runs.options(p, names, seconds))


def keep(out, problems):
    """The file may get more entries; with others than those of results that are there, it is refused."""
    mine = {f"entrant {name}": keys for name, keys in entrants.ENTRANTS.items()}
    for p in (p for p in problems if p.deck):
        with open(p.deck, "rb") as deck:
            mine[f"problem {p.name}"] = [p.size, p.keys, hashlib.sha256(deck.read()).hexdigest()]
    path = os.path.join(out, "own.json")
    old = outputs.load(out, "own.json") if os.path.exists(path) else {}
    for name, value in old.items():
        if mine.get(name) != value:
            raise Failure(f"{out} has results of another {name}: give it another name, or the results another --out")
    outputs.replace(path, json.dumps(mine, indent=1))
