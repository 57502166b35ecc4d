# Hosts on one machine under a real Slurm, for tests/cluster.sh, which sources this file. A host has processes, a
# network, a name, /tmp, /dev/shm and /etc/hosts of its own; all other files are shared. Host 0 has the controller,
# hosts 1 to N compute. switch.c connects them and can delay every frame.
# Needs root, slurm-wlm, iproute2, util-linux, /dev/net/tun and a C compiler. All processes end with this shell, however
# it ends, and with them the namespaces; only the folder of the cluster stays.
cluster=        # its folder
cluster_hosts=0 # N
host_pid=()     # [N + 1] of each host: the process that holds its namespaces

# on_host I COMMAND...: in the present folder, which must not be below /tmp.
on_host() {
  local ns=/proc/${host_pid[$1]}/ns
  shift
  nsenter --net=$ns/net --mount=$ns/mnt --uts=$ns/uts --ipc=$ns/ipc --pid=$ns/pid_for_children --wdns="$PWD" \
    env SLURM_CONF="$cluster/slurm.conf" TMPDIR=/tmp "$@" {cluster_lock}>&- {cluster_delays}>&-
}

# Nodes that do not answer for SlurmdTimeout are down; a job that is queued again waits for cred_expire.
write_configuration() {
  cat >"$cluster/slurm.conf" <<C
ClusterName=wring
SlurmctldHost=host0(10.77.0.10)
SlurmUser=root
SlurmdUser=root
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
MpiDefault=pmix
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
ReturnToService=2
SlurmdTimeout=15
KillWait=5
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd.%n.pid
SlurmdSpoolDir=$cluster/spool.%n
StateSaveLocation=$cluster/state
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd.%n.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=2,bf_interval=2
NodeName=host[1-$cluster_hosts] CPUs=$1 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
C
}

# start_host I: its first process, which ends with this shell, waits for the commands of its other processes.
start_host() {
  mkdir -p "$cluster/tmp.host$1"
  setpriv --pdeathsig KILL \
    unshare --net --mount --uts --ipc --pid --fork --kill-child --mount-proc bash -c '
      hostname "$1" && mount --bind "$2/hosts" /etc/hosts && mount --bind "$2/tmp.$1" /tmp &&
        mount -t tmpfs shm /dev/shm && touch "$2/ready.$1" && while :; do sleep 60; done' \
    bash "host$1" "$cluster" {cluster_lock}>&- {cluster_delays}>&- 2>"$cluster/host$1.log" &
  host_pid[$1]=$!
}

# start_daemon I: Slurm's on a host.
start_daemon() {
  local daemon=(slurmd -D -N "host$1" -f "$cluster/slurm.conf")
  [ "$1" != 0 ] || daemon=(slurmctld -D -f "$cluster/slurm.conf")
  on_host "$1" "${daemon[@]}" >>"$cluster/daemon$1.log" 2>&1 &
}

# wait_until SECONDS COMMAND...: status 1 if the command does not succeed in this time.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

all_idle() { [ "$(on_host 0 sinfo -h -t idle -o %D 2>/dev/null)" = "$cluster_hosts" ]; }

# One cluster at a time: the lock ends with this shell.
cluster_lock() { exec {cluster_lock}>/run/lock/wring-cluster && flock -n "$cluster_lock"; }

# cluster_up FOLDER [HOSTS=4] [CORES=2]: status 1 and lines if it fails.
cluster_up() {
  local i namespaces=()
  cluster=$1 cluster_hosts=${2:-4}
  ${CC:-cc} -O2 -o "$cluster/switch" "$(dirname "${BASH_SOURCE[0]}")/switch.c" || return
  echo '127.0.0.1 localhost' >"$cluster/hosts"
  for ((i = 0; i <= cluster_hosts; i++)); do echo "10.77.0.$((10 + i)) host$i" >>"$cluster/hosts"; done
  exec {cluster_delays}>/dev/null
  for ((i = 0; i <= cluster_hosts; i++)); do
    start_host $i
    namespaces+=("/proc/${host_pid[i]}/ns/net")
  done
  for ((i = 0; i <= cluster_hosts; i++)); do
    wait_until 20 test -e "$cluster/ready.host$i" || { cat "$cluster/host$i.log"; return 1; }
  done
  exec {cluster_delays}>&- {cluster_delays}> >(exec "$cluster/switch" "${namespaces[@]}" >"$cluster/switch.log" 2>&1 \
    {cluster_lock}>&-)
  wait_until 20 grep -q up "$cluster/switch.log" || { cat "$cluster/switch.log"; return 1; }
  for ((i = 0; i <= cluster_hosts; i++)); do
    on_host $i ip address add "10.77.0.$((10 + i))/24" dev eth0 && on_host $i ip link set eth0 mtu 9000 up &&
      on_host $i ip link set lo up || return
  done
  write_configuration "${3:-2}"
  for ((i = 0; i <= cluster_hosts; i++)); do start_daemon $i; done
  wait_until 60 all_idle || { echo "the nodes of Slurm are not idle: $(on_host 0 sinfo -R 2>&1)"; return 1; }
}

# cluster_delay MICROSECONDS: of every frame from now on, one way.
cluster_delay() { echo "$1" >&"$cluster_delays"; }

# host_dies I: all its processes end at once, its network is gone.
host_dies() { pkill -KILL -P "${host_pid[$1]}"; }

cluster_down() {
  local i
  for i in "${!host_pid[@]}"; do host_dies "$i"; done
  exec {cluster_delays}>&-
  wait
  host_pid=()
}
