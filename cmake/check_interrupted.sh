#!/bin/sh
# What becomes of the results of panto_run and own_hardware when a run is interrupted:
#     sh check_interrupted.sh <panto_run> <own_hardware> <data> <folder to work in> [rounds]
# Killed: former results stay, and what was recorded is kept. Asked to end (HUP, TERM): what was recorded is evaluated.
# Two runs into one folder: one of them is refused. Standard output on a full disk: status 2, and the results are there.
set -u
program=$1
own_hardware=$2
data=$3
work=$4
rounds=${5:-3}
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1

failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}
run() { "$program" --no-report "$@" >>log 2>&1; }
start() { exec "$program" --no-report "$@" >>log 2>&1; }  # in the background: the process is the program itself
killed() { find results -name 'killed_run*.csv' | wc -l; }
# until_recorded <process> <killed runs>: the former ones are kept, and the run has written 100 lines and goes on.
until_recorded() {
    while kill -0 "$1" 2>/dev/null; do
        [ "$(killed)" -lt "$2" ] || [ ! -e results/running.csv ] || [ "$(wc -l <results/running.csv)" -lt 100 ] || return 0
        sleep 0.02
    done
    fail "the run ended before it could be interrupted"
}
# A line that takes long enough: the published one with three times as many spans, in elements that are quickly set up.
sed 's/"repeat": 20/"repeat": 60/; s/"repeat": 19/"repeat": 59/' "$data/catenaries/stitched_hil.json" >long.json

for mode in hil simulate; do
    run --mode $mode --duration 2 --out results || fail "$mode: the first run ended with $?"
    cp -r results former
    for round in $(seq "$rounds"); do
        start --mode $mode --catenary long.json --element 1.5 --out results &
        process=$!
        until_recorded $process $((round - 1))
        sleep "0.0$round"
        kill -KILL $process
        wait $process 2>/dev/null
        for file in former/*; do
            cmp -s "$file" "results/${file#former/}" || fail "$mode: a killed run changed ${file#former/}"
        done
        [ -s results/running.csv ] || fail "$mode: a killed run left no record"
    done
    for signal in HUP TERM; do
        start --mode $mode --catenary long.json --element 1.5 --out results &
        process=$!
        until_recorded $process "$rounds"
        kill -$signal $process
        wait $process
        [ $? -eq 1 ] || fail "$mode: the status after $signal is not 1"
        grep -q '"fault": "stopped by user' results/summary.json || fail "$mode: $signal is no stop by the user"
        [ ! -e results/running.csv ] || fail "$mode: the record of a complete run stays"
    done
    # A killed run and the stopped one began alike; the noise of a rig has the same seed.
    grep -v '^#' results/series.csv | cut -d, -f1-3 >stopped
    for file in results/killed_run*.csv; do
        grep -v '^#' "$file" | cut -d, -f1-3 >killed
        lines=$(cat killed stopped | wc -l)
        for other in killed stopped; do
            [ "$(wc -l <$other)" -ge "$lines" ] || lines=$(wc -l <$other)
        done
        head -n "$lines" killed >begin
        head -n "$lines" stopped | cmp -s - begin || fail "$mode: $file is not how the run began"
    done
    [ "$(killed)" -eq "$rounds" ] || fail "$mode: not every killed run was kept"
    rm -rf results former
done

for round in $(seq "$rounds"); do
    start --duration 2 --speed 200 --out both &
    first=$!
    start --duration 2 --speed 250 --out both &
    second=$!
    wait $first
    a=$?
    wait $second
    b=$?
    case "$a $b" in
        '0 2') speed=200 ;;
        '2 0') speed=250 ;;
        '0 0') speed=any ;;  # one after the other, on a busy machine
        *) fail "two runs at once ended with $a and $b" ;;
    esac
    said=$(sed -n 's/.*"speed_kmh": \([0-9]*\).*/\1/p' both/summary.json)
    [ "$speed" = any ] || [ "$said" = "$speed" ] || fail "the summary says $said km/h, the run was at $speed"
    grep -q " $said km/h" both/series.csv || fail 'summary and series are of two runs'
done
# The run of own_hardware takes a third of a second. Where it was over before the signal came, it is tried again.
for signal in HUP TERM; do
    status=0
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        rm -rf own_hardware_results
        (exec "$own_hardware" >printed 2>&1) &
        process=$!
        while kill -0 $process 2>/dev/null && [ ! -e own_hardware_results ]; do sleep 0.01; done
        kill -$signal $process 2>/dev/null
        wait $process
        status=$?
        [ $status -eq 0 ] || break
    done
    [ $status -eq 1 ] || fail "own_hardware: the status after $signal is $status"
    grep -q '^stopped by user after [0-9]* cycles' printed || fail "own_hardware: $signal is no stop by the user: $(cat printed)"
    for file in report.html series.csv cycles.csv; do
        [ -s own_hardware_results/$file ] || fail "own_hardware: $signal left no $file"
    done
    [ ! -e own_hardware_results/running.csv ] || fail "own_hardware: the record of a complete run stays"
done
# A cycles.csv of the user stays, one of a session is an old result.
mkdir own
echo mine >own/cycles.csv
run --mode simulate --duration 1 --out own || fail "a run beside a file of the user ended with $?"
[ "$(cat own/cycles.csv)" = mine ] || fail 'panto_run removed a cycles.csv that it did not write'
cp own_hardware_results/cycles.csv own
run --mode simulate --duration 1 --out own || fail "a run into the folder of a session ended with $?"
[ ! -e own/cycles.csv ] || fail 'the cycles.csv of a session stays beside the results of another run'
# Nobody may take a run whose text was lost for one that was read.
if [ -c /dev/full ]; then
    "$program" --no-report --duration 1 --mode simulate --out full >/dev/full 2>said
    [ $? -eq 2 ] || fail "the status with a full disk behind standard output is not 2"
    grep -q 'standard output' said || fail "nothing is said of a standard output that could not be written: $(cat said)"
    [ -s full/summary.json ] || fail 'results are lost with standard output'
fi
[ $failed -eq 0 ] || tail -n 20 log
exit $failed
