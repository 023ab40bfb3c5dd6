# check_csv.py FILE - the raw page as a CSV reader sees it: a row of names, one of units, and a row a launch.
import csv
import sys

with open(sys.argv[1], newline="") as f:
    rows = [r for r in csv.reader(line for line in f if not line.startswith("=="))]
names, units, launches = rows[0], rows[1], rows[2:]
lead = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
        "Device", "CC"]
assert names[: len(lead)] == lead, names[: len(lead)]
assert all(len(r) == len(names) for r in rows), [len(r) for r in rows]
assert not any(units[: len(lead)]), units[: len(lead)]
assert names[len(lead):] == sorted(names[len(lead):])
by_name = [dict(zip(names, r)) for r in launches]
assert [r["Kernel Name"] for r in by_name] == ["strided(const float *, float *, int)", "column(float *)", "tiny"]
assert [r["ID"] for r in by_name] == ["0", "1", "2"]
assert by_name[0]["Block Size"] == "(32, 1, 1)" and by_name[0]["CC"] == "9.0"
wanted = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": ["8", "128", "0"],
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": ["4", "4", "4"],
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": ["0", "1,024", "0"],
    "launch__thread_count": ["32", "32", "32"],
}
for name, values in wanted.items():
    got = [r[name] for r in by_name]
    assert got == values, (name, got)
assert dict(zip(names, units))["launch__thread_count"] == "thread"
