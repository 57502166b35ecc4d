"""The program: built once, and run with the environment of MPI that jobs/setup.sh gives; the arguments of a job."""
import argparse
import functools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STARTED_IN = os.getcwd()  # paths that a user gives are relative to it
CORES = len(os.sched_getaffinity(0))
UNDER = shlex.split(os.environ.get("UNDER", ""))  # a command that every run is put under, such as "taskset -c 0,1"
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
DEBIAN_PYTHON = "/usr/bin/python3"  # which Debian's packages of numpy, VTK and FEniCSx are for


class Failure(Exception):
    """What ends a job: one line."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Failure(f"{message}; --help describes the command")


def parser(command, doc):
    """Of the arguments of `python3 jobs COMMAND`, which its docstring describes."""
    return Parser(prog=f"python3 jobs {command}", description=doc, formatter_class=argparse.RawTextHelpFormatter)


def count(text):
    """Of an argument: a whole number above 0."""
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"expected a whole number above 0, found {text}")
    return int(text)


def counts(text):
    """Of an argument: whole numbers above 0, such as 1,2 or 1e5."""
    try:
        found = [float(word) for word in text.split(",")]
    except ValueError:
        found = []
    if not found or any(n < 1 or not n.is_integer() for n in found):
        raise argparse.ArgumentTypeError(f"expected whole numbers above 0, such as 1,2, found {text}")
    return [int(n) for n in found]


def check_names(names, known, noun):
    for name in names:
        if name not in known:
            raise Failure(f"no {noun} '{name}', expected one of {', '.join(known)}")


def parse_names(form, words, known, noun):
    """The arguments of a form and names of those known, without which all are meant; -l prints them."""
    form.add_argument("-l", action="store_true", help="list the names")
    form.add_argument("name", nargs="*", help="without a name, all")
    given = form.parse_args(words)
    check_names(given.name, known, noun)
    if given.l:
        say(" ".join(known))
        sys.exit()
    given.name = given.name or list(known)
    return given


def parse_values(form, words, metavar, defaults):
    """The words without "=", and {key: text} of the others, "key=value", by default those of a text."""
    form.add_argument("word", nargs="+", metavar=metavar, help="and option=value")
    plain, given = [], dict(word.split("=") for word in defaults.split())
    for word in form.parse_args(words).word:
        key, equals, value = word.partition("=")
        if equals and key not in given:
            raise Failure(f"unknown option {key}, expected one of {', '.join(given)}")
        if equals:
            given[key] = value
        else:
            plain.append(word)
    return plain, given


def load_table(path, known):
    """A map in YAML, or JSON, whose keys are among those known."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeError) as error:
        raise Failure(f"{path}: {getattr(error, 'strerror', error)}") from error
    try:
        import yaml
    except ModuleNotFoundError:
        yaml = None
    try:
        found = yaml.safe_load(text) if yaml else json.loads(text)
    except Exception as error:
        need = "YAML" if yaml else "JSON, since this python has no PyYAML (Debian: python3-yaml)"
        raise Failure(f"{path}: expected {need}: {' '.join(str(error).split())}") from error
    check_keys(path, found, known)
    return found


def check_keys(where, found, known):
    if not isinstance(found, dict):
        raise Failure(f"{where}: expected a map of {', '.join(sorted(known))}")
    for key in found:
        if key not in known:
            raise Failure(f"{where}: unknown key {key}, expected one of {', '.join(sorted(known))}")


def text_of(value):
    """A value as wring takes it on a command line."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(text_of, value)) if isinstance(value, list) else str(value)


def split_keys(words):
    """The words before --, and the keys of wring after it, {key: value}."""
    at = words.index("--") if "--" in words else len(words)
    keys = words[at + 1 :]
    if len(keys) % 2 or any(not key.startswith("-") for key in keys[::2]):
        raise Failure(f"after --, expected -key value pairs, found {' '.join(keys)}")
    return words[:at], {key[1:]: value for key, value in zip(keys[::2], keys[1::2])}


def setup(commands):
    """Runs commands of bash after jobs/setup.sh; gives what they print."""
    script = f". jobs/setup.sh && {commands}"
    done = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, cwd=ROOT, check=False)
    if done.returncode:
        raise Failure(f"status {done.returncode} of {commands}")
    return done.stdout


def install(*packages):
    """Debian packages beyond those that wring needs."""
    setup(f"debian_packages+=' {' '.join(packages)}' && install_packages >&2")


def path():
    """The program: $WRING, or what is built in build/."""
    if not os.environ.get("WRING"):
        setup("build build -D CMAKE_BUILD_TYPE=Release >&2")
        os.environ["WRING"] = "build/wring"
    if not shutil.which(os.environ["WRING"]):
        raise Failure(f"WRING={os.environ['WRING']}: no executable, expected the program")
    return os.environ["WRING"]


@functools.cache
def environment(ranks, threads=1, busy=False):
    """Of so many ranks and threads; busy: threads wait busily for a while, as timed runs want it."""
    text = setup(f"OMP_NUM_THREADS={threads}; use_ranks {ranks}; env -0").decode()
    env = dict(entry.split("=", 1) for entry in text.split("\0") if "=" in entry)
    if busy:
        env.pop("OMP_WAIT_POLICY", None)
        env["GOMP_SPINCOUNT"] = "10000"
        env["OMPI_MCA_mpi_yield_when_idle"] = "1" if ranks * threads > CORES else "0"
    return env


def arguments(options):
    """["-key", "value", ...] of {key: value}."""
    return [word for key, value in options.items() for word in ("-" + key, str(value))]


def call(*words):
    """Runs wring with these words, its output thrown away. Gives the exit status."""
    return subprocess.call([path(), *words], stdout=subprocess.DEVNULL, env=environment(1))


def output(*words):
    """What wring prints. A Failure with its line of error unless the status is 0."""
    how = {"capture_output": True, "encoding": "utf-8", "errors": "replace"}
    done = subprocess.run([path(), *words], **how, env=environment(1), check=False)
    if done.returncode:
        raise Failure(f"{cause(done.stderr)} (status {done.returncode} of {shlex.join(['wring', *words])})")
    return done.stdout


def attempt(command, deck, folder, options=None, *, ranks=1, threads=1, busy=False, variables=(), launch=(), tree=None):
    """
    Runs `wring command deck` into a folder, the screen into its file log. Gives the exit status. deck None: a command
    without one. variables: "NAME=value" in the environment of ranks only. launch: words before the command. tree: a
    checkout of another version, built in its folder build, which is run there; the folder is removed first, since 0.1
    cannot be told to replace files.
    """
    if tree:
        folder = os.path.abspath(folder)
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder, exist_ok=True)
    binary = os.path.join(tree, "build/wring") if tree else path()
    line = [binary, command] + ([deck] if deck else []) + arguments({"output_directory": folder, **(options or {})})
    if command in ("run", "compare") and not tree:
        line += ["-output_overwrite", "true"]
    if variables:
        line = ["env", *variables] + line
    if ranks > 1:
        line = [MPIEXEC, "-n", str(ranks)] + line
    line = [*launch, *line]
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        return subprocess.call(UNDER + line, stdout=log, stderr=log, env=environment(ranks, threads, busy), cwd=tree)


def run(command, deck, folder, options=None, *, accepted=(0,), **how):
    """The same, and a Failure unless the status is accepted. Gives the folder."""
    status = attempt(command, deck, folder, options, **how)
    if status not in accepted:
        line = " ".join(["wring", command] + ([deck] if deck else []) + arguments(options or {}))
        raise Failure(f"{reason(folder)} (status {status} of {line})")
    return folder


def reason(folder):
    """The cause of a failure by the log of a run."""
    with open(os.path.join(folder, "log"), encoding="utf-8", errors="replace") as log:
        return cause(log.read())


def cause(text):
    """
    Wring's own line of error in what a run has printed, which mpiexec may follow with lines of its own; else the note
    of a step that failed, which tables follow; else the last line.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    own = [line for line in lines if line.startswith("wring: ")]
    failed = re.findall(r"note: step \d+ failed: .*", "\n".join(lines))
    return (own or failed or lines[-1:] or ["no output"])[0]


def numbers(text):
    """Of "1,2,3"."""
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise Failure(f"expected numbers as in 1,2,3, found {text}") from None


def is_newer(file, other):
    return os.path.exists(file) and os.path.getmtime(file) > os.path.getmtime(other)


def say(text):
    print(text, flush=True)


def note(text):
    print(f"note: {text}", file=sys.stderr, flush=True)
