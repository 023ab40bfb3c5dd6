#!/bin/sh
# examples.sh FOLDER - runs the programs of examples/ that are in FOLDER at sizes that take no time, for the gate on them:
# tests/gate/examples.gate. Left out are cooperativeKernel, whose blocks poll, so that its counters depend on their order, and
# nestedHelloWorld, whose launches from the device nvcc and clang compile to different loads.
set -e
cd "$1"
run() { "./$@" >/dev/null; }
run accessPatterns 65536
run bankConflicts
run checkSmemRectangle
run checkSmemSquare
run constantStencil 65536
run convolution
run fft
run matrixMul
run pairSum
run reduceInteger 65536
run reduceIntegerShfl
run saxpy 65536
run simpleShfl
run sumSquares 65536
run transposeRectangle 256 256
run vectorAdd
