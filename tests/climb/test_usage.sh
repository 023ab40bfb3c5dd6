#!/bin/sh
# test_usage.sh LOCKSTEP - what the command line says to what it does not understand, and with which exit status.
set -u
lockstep=$1
failed=0

# expect STATUS TEXT ARGUMENT...: the command ends with STATUS and says TEXT on stdout or stderr.
expect() {
    status=$1 text=$2
    shift 2
    said=$("$lockstep" "$@" 2>&1 </dev/null)
    got=$?
    if [ "$got" != "$status" ]; then
        echo "lockstep $*: exit status $got, expected $status"
        failed=1
    fi
    case $said in
    *"$text"*) ;;
    *)
        echo "lockstep $*: said '$said', expected '$text' in it"
        failed=1
        ;;
    esac
}

expect 2 "usage: lockstep COMMAND"
expect 0 "usage: lockstep COMMAND" --help
expect 0 "lockstep " --version
expect 0 "engine: " --version
expect 0 "compiled tier: " --version
expect 2 "there is no command 'clomb'
" clomb
expect 2 "there is no command 'profil'; the nearest is 'profile'" profil
expect 2 "there is no family 'banksy'" climb banksy
expect 2 "transpose" climb banksy
expect 2 "reduce has no rung 'reduceFast'" climb reduce/reduceFast
expect 2 "reduceShfl" climb reduce/reduceFast
expect 2 "unrecognized option" climb --fast
expect 2 "unrecognized option '--quik'; the nearest is '--quick'" climb --quik
expect 2 "--n needs a positive number" climb --n zero
expect 2 "--n needs a positive number" climb --n -4
expect 2 "--n needs a positive number" climb --n 0
expect 2 "--n needs a positive number" climb --n 4q
expect 2 "--size needs rows x columns" climb --size 100
expect 2 "--size needs rows x columns" climb --size 100x
expect 2 "--size needs rows x columns" climb --size 0x100
expect 2 "--block needs threads" climb --block 32x-1
expect 2 "--block needs threads" climb --block big
expect 2 "--on is cpu or gpu" climb --on tpu
expect 2 "one FAMILY or FAMILY/RUNG" climb banks reduce
expect 2 "a block has 1 to 1024 threads" climb banks --block 2000x1
expect 2 "no rung takes this shape" climb stencil/stencil_1d --block 48
expect 3 "voodoo" climb --gpu voodoo banks
expect 0 "setRowReadColDynPad" climb --list
expect 0 "built for blocks of" climb --list
expect 0 "setRowReadColDynPad" climb --list banks
[ "$("$lockstep" climb --list matmul 2>/dev/null | grep -c '^[a-z]')" = 1 ] || { echo "--list of one family lists others"; failed=1; }
expect 0 "h200" gpus
expect 0 "lockstep " profile --version
expect 0 "lockstep " check -v
expect 2 "there is no use for 'h200'" gpus h200
# Every command explains itself, and says the same of an option that several have.
for command in climb cc run check trace profile launch ptx gpus calibrate; do
    expect 0 "age: lockstep $command" $command --help
done
for command in climb run check trace profile launch calibrate; do
    expect 0 "The GPU to be (\`lockstep gpus\` lists them), as" $command --help
    expect 2 "--gpu requires an argument: NAME" $command --gpu
done
# Where there is no GPU, --on gpu says so (where there is one, this is not the place to use it).
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
    expect 3 "no NVIDIA driver was found" climb --on gpu banks
fi
exit $failed
