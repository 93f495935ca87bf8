#!/usr/bin/env python3
"""`longshore run --stats --trace` on real programs: watch.py PATTERN_PROGRAM."""

import json
import os
import pathlib
import sys

from launch import longshore, watched

PATTERN = sys.argv[1]
RANKS = 3


def pattern(calls, block, count, times, end="close", file="data"):
    words = [PATTERN, os.path.abspath(file), calls, block, RANKS * block, block, count, times, end]
    return [str(word) for word in words]


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def nothing_left():
    left = [name for name in os.listdir(".") if name.startswith(".longshore") or "events" in name]
    assert not left, left


def summary_of_a_collective_write():
    text = watched(["--stats"], RANKS, *pattern("write_all", 1024, 100, 2))
    assert "1 file opened by up to 3 ranks on 1 host" in text, text
    assert "614 kB" in text and "6 collective calls" in text, text  # 3 * 2 * 102400
    assert "2 x write_all: two phases" in text and "the ranks' bytes interleave" in text, text
    assert "MB/s" in text and "phases" in text, text
    nothing_left()


def the_screen_and_the_program_s_streams_are_apart():
    out, err = longshore("run", "--stats", "--mpi", os.environ["LONGSHORE_MPI"], "sh", "-c",
                         "echo to the program; exit 9", code=9)
    assert out == "to the program\n", out
    assert "opened no file" in err, err


def lines_are_kept():
    pathlib.Path("s.json").write_text("old\n", encoding="utf-8")
    watched(["--stats=s.json"], RANKS, *pattern("write", 64, 1, 50))
    (line,) = lines_of("s.json")
    assert line["file"].endswith("data") and line["ranks"] == RANKS
    assert line["independent_write_bytes"] == 64 * 50 * RANKS
    assert line["writes_pages"] == 50 * RANKS, line
    assert line["call_ns"] >= line["slowest_call_ns"] > 0
    assert [choice["how"] for choice in line["choices"]] == ["through pages in memory"]
    assert line["hints"]["longshore_write_behind"] == "automatic"


def hints_are_given():
    text = watched(["--stats", "--hint", "longshore_write_behind=off", "--hint", "cb_buffer_size=4096"],
                   RANKS, *pattern("write", 64, 1, 500))
    assert "longshore_write_behind=automatic" in text, text
    assert "1500 independent writes of 64 bytes" in text, text
    text = watched(["--stats", "--hint", "cb_buffer_size=4096"], RANKS,
                   *pattern("write_all", 512, 100, 1))
    assert "cb_buffer_size=1048576" in text, text


def many_files_are_summed():
    text = watched(["--stats=s.json"], RANKS, *pattern("write_all", 512, 4, 1, "many"))
    assert "1000 files opened" in text and "and 995 more" in text, text
    assert len(text.splitlines()) <= 24, text
    assert len(lines_of("s.json")) == 1000


def check_timeline(path, ranks):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    events = [event for event in document["traceEvents"] if event["ph"] == "X"]
    names = {event["pid"]: event["args"]["name"] for event in document["traceEvents"]
             if event["name"] == "process_name"}
    assert {event["pid"] for event in events} == set(range(ranks))
    assert names == {rank: "rank %d" % rank for rank in range(ranks)}, names
    assert all(isinstance(event["tid"], int) and event["ts"] >= 0 for event in events)
    return events


def one_timeline_of_all_files():
    text = watched(["--trace", "t.json"], RANKS, *pattern("read_all", 1024, 100, 2))
    assert "events in" in text, text
    events = check_timeline("t.json", RANKS)
    assert {"write_all", "read_all", "census", "close"} <= {event["name"] for event in events}
    assert all(event["args"]["file"].endswith("data") for event in events)
    nothing_left()


def an_empty_timeline_says_so():
    text = watched(["--trace", "t.json", "--stats"], RANKS, *pattern("write", 64, 1, 1, "none"))
    assert "is empty" in text and "opened no file" in text, text
    with open("t.json", encoding="utf-8") as file:
        assert json.load(file)["traceEvents"] == []


def a_forgotten_close_is_told():
    text = watched(["--stats", "--trace", "t.json"], RANKS, *pattern("write", 64, 1, 10, "forget"),
                   code=None)
    assert "LEFT OPEN: counters of 3 of 3 ranks" in text, text
    assert "30 independent calls" in text, text
    assert len(check_timeline("t.json", RANKS)) >= 30


def an_exit_without_finalize_is_told():
    text = watched(["--stats"], 1, *pattern("write", 64, 1, 10, "exit"), code=None)
    assert "LEFT OPEN" in text and "10 independent calls" in text, text


def a_killed_rank_is_told():
    text = watched(["--stats=s.json"], RANKS, *pattern("write", 64, 1, 10, "kill"), code=None)
    assert "NEVER CLOSED" in text or "LEFT OPEN" in text, text
    assert lines_of("s.json")[0]["event"] in ("open", "left_open")


def what_cannot_be_written_is_refused():
    _, err = longshore("run", "--stats=/nowhere/x", "--mpi", os.environ["LONGSHORE_MPI"], "true",
                       code=125)
    assert "cannot be written" in err, err


def main():
    tests = [summary_of_a_collective_write, the_screen_and_the_program_s_streams_are_apart,
             lines_are_kept, hints_are_given, many_files_are_summed, one_timeline_of_all_files,
             an_empty_timeline_says_so, a_forgotten_close_is_told, an_exit_without_finalize_is_told,
             a_killed_rank_is_told, what_cannot_be_written_is_refused]
    for test in tests:
        test()
        print("fine:", test.__name__.replace("_", " "))


if __name__ == "__main__":
    main()
