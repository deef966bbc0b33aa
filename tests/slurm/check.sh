#!/bin/sh
# A split under Slurm: controller, daemon and munge of this test on this
# machine, all in a scratch folder. A job array runs 32 shards; some of its
# jobs are killed and one is requeued while it runs; the merged series have the
# bytes of one process. Needs root. No daemon is left.
# usage: check.sh NEARFAR
set -u
export LC_ALL=C
nearfar=$(realpath "$1")
export SLURM_CONF

skip() {
	echo "ok slurm: # SKIP $*"
	exit 0
}

for program in munged mungekey slurmctld slurmd sbatch; do
	command -v $program >/dev/null || skip "there is no $program"
done
[ "$(id -u)" = 0 ] || skip "only root can start slurmd"

scratch=$(mktemp -d)
host=$(hostname -s)
split=$scratch/split
SLURM_CONF=$scratch/slurm.conf
daemons=

# Ends what this test started, and nothing else.
finish() {
	scancel --name=nearfar 2>/dev/null
	for daemon in $daemons; do
		kill "$daemon" 2>/dev/null
	done
	for daemon in $daemons; do
		wait "$daemon" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM

fail() {
	echo "not ok slurm: $*"
	for log in munged slurmctld slurmd; do
		[ ! -s "$scratch/$log.log" ] || tail -n 5 "$scratch/$log.log" |
			sed "s/^/  $log: /"
	done
	exit 1
}

# within SECONDS COMMAND...: it succeeds in that time.
within() {
	tries=$(($1 * 5))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.2
	done
}

start() { # LOG COMMAND...
	log=$scratch/$1.log
	shift
	"$@" >>"$log" 2>&1 &
	daemons="$! $daemons"
}

# ---- the cluster ----

# Two ports that nobody listens on.
ports() {
	port=26817
	while grep -qi ":$(printf %04x $port) \|:$(printf %04x $((port + 1))) " \
		/proc/net/tcp; do
		port=$((port + 2))
	done
}

configure() {
	chmod 755 "$scratch"
	mkdir "$scratch/state" "$scratch/spool" "$scratch/munge"
	ports
	cat >"$SLURM_CONF" <<CONF
ClusterName=nearfar
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,sched_min_interval=100000
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

start_cluster() {
	mungekey --create --keyfile="$scratch/munge/key" ||
		fail "munge's key could not be made"
	start munged munged --foreground --key-file="$scratch/munge/key" \
		--socket="$scratch/munge/socket" \
		--pid-file="$scratch/munge/pid" \
		--log-file="$scratch/munge/log" \
		--seed-file="$scratch/munge/seed"
	within 10 test -S "$scratch/munge/socket" ||
		fail "munged does not answer"
	start slurmctld slurmctld -D
	start slurmd slurmd -D -N "$host"
	within 30 idle || fail "no node is idle: $(sinfo -h -o %T%E 2>&1)"
}
idle() { sinfo -h -o %T | grep -q idle; }

configure
start_cluster

# ---- the split ----

cat >"$scratch/suite.txt" <<'SUITE'
chase pointer-chase --op ld.ca,ld.cg -x 4KiB:64MiB:4 -r 4
what-if pointer-chase --op atom.add -x 1MiB,8MiB --set l2_near_cycles=250,300
atomics atomic-contention -x 1,8,32,132
lanes coalescing -x 4:128:1 --seed 3
SUITE

"$nearfar" plan "$scratch/suite.txt" -n 32 --slurm -o "$split" ||
	fail "no plan was made"
job=$(sbatch --parsable "$split/slurm.sh") || fail "sbatch failed"

running() { squeue -h -r -j "$job" -t RUNNING -o %K | head -n 1; }
one_runs() { [ -n "$(running)" ]; }
# Whatever becomes of a job, it is seen by its file.
there() { [ -e "$split/$1.json.gz" ]; }
over() { ! squeue -h -r -j "$job" -t RUNNING -o %K | grep -qx "$1"; }
# Slurm lets a job that is requeued wait for two minutes.
hurry() {
	squeue -h -r -j "$job" -t PENDING -o '%K %r' |
		while read -r n reason; do
			[ "$reason" != BeginTime ] ||
				scontrol update job="${job}_$n" StartTime=now
		done
}

killed=0 requeued=0
for turn in 1 2 3 4 5 6 7 8; do
	within 60 one_runs || break
	n=$(running)
	[ -n "$n" ] || continue
	if [ $((turn % 4)) = 0 ]; then
		scontrol requeue "${job}_$n" 2>/dev/null || continue
		requeued=$((requeued + 1))
	else
		scancel --batch --signal=KILL "${job}_$n" || continue
		within 20 over "$n" || fail "shard $n outlives SIGKILL"
		there "$n" && continue
		scontrol requeue "${job}_$n" || fail "shard $n is not requeued"
		killed=$((killed + 1))
	fi
done
echo "# $killed jobs were killed, $requeued requeued while they ran"

quiet() {
	hurry
	[ -z "$(squeue -h -j "$job")" ]
}
within 300 quiet || fail "jobs remain: $(squeue -h -r)"
[ $killed -gt 0 ] || fail "no job was killed"
resumed=$(grep -l 'come from the journal' "$split"/*.log | wc -l)
echo "# $resumed shards went on from a journal"

# ---- the bytes ----

"$nearfar" merge "$split" --rows "$scratch/rows" || {
	tail -n 3 "$split"/*.log
	fail "the shards do not merge"
}
while read -r name words; do
	# shellcheck disable=SC2086
	"$nearfar" run $words --force -o "$scratch/one.json.gz" 2>"$scratch/why" ||
		fail "row $name: $(cat "$scratch/why")"
	cmp "$scratch/one.json.gz" "$scratch/rows/$name.json.gz" ||
		fail "row $name differs from one process"
done <"$scratch/suite.txt"
[ -z "$(find "$split" -name '*.journal')" ] || fail "journals are left"
echo "ok slurm: 32 shards, some killed, have the bytes of one process"
