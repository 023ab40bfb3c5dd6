#!/usr/bin/env python3
"""part_stores.py LOCKSTEP FOLDER: compiles part_stores.cu into FOLDER, profiles its grids of 528 blocks at most, and compares what stores
to parts of sectors are counted and modelled as with what an H200 measured (h200/part-stores.csv)."""
import sys

from modelled import stores_far_off

# How far off what L2 is written is in the mean, as a share. When stores of different warps meet is a matter of time, which the model of caches does not
# know: it joins half of what warps store that leave a barrier together, where an H200 joins nearly all (shuffled).
MEAN = {'fields': 0.12, 'loop': 0.03, 'shuffled': 1.2, 'columns': 0.35}

sys.exit(stores_far_off(*sys.argv[1:], 'part_stores', 'part-stores.csv', 528, MEAN))
