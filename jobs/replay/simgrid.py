"""SimGrid: platforms, and replays of traces on them."""
import os
import re
import shutil
import subprocess

from program import Failure

PLATFORMS = "jobs/replay/platforms"
OPTIONS = (  # latencies and bandwidths are those of the platform; messages below 64 KiB wait for nothing
    "smpi/bw-factor:0:1",
    "smpi/lat-factor:0:1",
    "network/crosstraffic:0",
    "smpi/async-small-thresh:65536",
    "smpi/send-is-detached-thresh:65536",
    "smpi/os:0:0:0",
    "smpi/or:0:0:0",
    "smpi/ois:0:0:0",
    "smpi/allreduce:rdb",  # recursive doubling, as MPI libraries add a few hundred bytes
    "contexts/stack-size:256",
    "contexts/guard-size:0",
)


def is_there():
    return bool(shutil.which("smpirun"))


def replay(names, ranks, platform, per_node=64):
    """Milliseconds of a trace on a platform file, or one of PLATFORMS by name; consecutive ranks share a node."""
    if not is_there():
        raise Failure("no smpirun: SimGrid is needed (Debian: libsimgrid-dev; Spack: simgrid +smpi)")
    path = platform if platform.endswith(".xml") else f"{PLATFORMS}/{platform}.xml"
    hosts = f"{names}.hosts"
    with open(hosts, "w", encoding="utf-8") as file:
        file.writelines(f"node-{rank // per_node}\n" for rank in range(ranks))
    line = ["smpirun", "-no-privatize", "-platform", path, "-hostfile", hosts, "-np", str(ranks)]
    line += [f"--cfg={option}" for option in OPTIONS] + ["--log=smpi_coll.thres:warning", "-replay", names]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    time = re.search(r"Simulation time (\S+)", done.stdout + done.stderr)
    if not time:
        last = (done.stdout + done.stderr).strip().splitlines()[-1:] or ["no output"]
        raise Failure(f"smpirun of {names} on {os.path.basename(path)}: {last[0]}")
    return 1e3 * float(time[1])
