#!/usr/bin/env python3
"""row_stores.py LOCKSTEP FOLDER: compiles row_stores.cu into FOLDER, profiles its grids of 528 blocks at most, and compares what stores
to parts of sectors write to L2 with what an H200 measured (h200/row-stores.csv)."""
import sys

from modelled import stores_far_off

sys.exit(stores_far_off(*sys.argv[1:], 'row_stores', 'row-stores.csv', 528, {'row': 0.16, 'tile': 0.12}))
