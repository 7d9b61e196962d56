"""What hook calls cost is no more than what was recorded, in processes and instructions: never in milliseconds."""

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))

import bench
import bench_rows

DOCUMENT = json.loads(bench.RECORDED.read_text())
SLACK = 1.1  # of instructions, and half a million
QUICK = ("stop: nothing armed", "stop: held, no checker", "stop: held, no checker, same tree")


@pytest.mark.needs("strace")
def test_quick_rows_start_no_more_processes_and_take_no_more_instructions_than_recorded(tmp_path: Path) -> None:
    seen = set()
    for row in bench_rows.rows(tmp_path, bench_rows.HOOKS, ["small"]):
        if row.name not in QUICK:
            continue
        seen.add(row.name)
        known, found = DOCUMENT["rows"][row.name]["after"], bench.started(row)
        assert found["processes"] <= known["processes"] + 1, (row.name, found)  # one of git's comes and goes
        if DOCUMENT["python"] == "{}.{}".format(*sys.version_info) and row.name != QUICK[-1]:
            counted = bench.instructions(row)  # another release of Python takes others
            assert counted.get("instructions", 0.0) <= known["instructions"] * SLACK + 0.5, (row.name, counted)
    assert seen == {*QUICK}


def test_the_table_of_the_page_is_the_recorded_one() -> None:
    # when this fails: make bench, and python tools/bench.py --record after
    page = bench.PAGE.read_text(encoding="utf-8")
    assert page.partition(bench.BEGIN)[2].partition(bench.END)[0].splitlines() == [*bench.table(DOCUMENT["rows"])]


def test_every_row_that_is_measured_is_explained() -> None:
    page = bench.PAGE.read_text(encoding="utf-8").partition(bench.BEGIN)[0]
    names = {name.partition(",")[0] for name in DOCUMENT["rows"]}
    assert [name for name in sorted(names) if f"`{name}" not in page] == []
