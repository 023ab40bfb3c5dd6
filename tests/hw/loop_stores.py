#!/usr/bin/env python3
"""loop_stores.py LOCKSTEP FOLDER: compiles loop_stores.cu into FOLDER, profiles its grids of 132 blocks, and compares what rows that threads
write in a loop write to L2 with what an H200 measured (h200/loop-stores.csv)."""
import sys

from modelled import stores_far_off

sys.exit(stores_far_off(*sys.argv[1:], 'loop_stores', 'loop-stores.csv', 132, {'fill': 0.26, 'copy': 0.05}))
