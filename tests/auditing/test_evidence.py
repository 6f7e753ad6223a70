"""What speaks for a relation: where it is too little, nothing is accused."""

from __future__ import annotations

import pytest


def fails(rows):
    return [(row["line"], row["printed"], row["recomputed"]) for row in rows
            if row["outcome"] in {"fails", "doubt"}]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        # the rows that leave the proportion have another block size, as their own column says
        "| Mode | Size | IOPS | MB/s |\n|---|---|---|---|\n| a | 4K | 1,000 | 4.1 |\n"
        "| b | 4K | 2,000 | 8.2 |\n"
        "| c | 4K | 3,000 | 12.3 |\n| d | 4K | 4,000 | 16.4 |\n| e | 8K | 4,000 | 32.8 |\n",
        # an ordinal is not a percentile
        "| | ours |\n|---|---|\n| 9th restore | 52.4 |\n| 10th restore | 48.9 |\n"
        "| 11th restore | 31.0 |\n",
        # rows are alternatives: none is divided by another
        "| Case | Rate |\n|---|---|\n| a | 10,000 |\n| b | 100,000 |\n| c | 10,000 |\n"
        "| d | 200,000 |\n",
        # what follows in a bracket is another case
        "Heartbeats come each 1 s (250 ms in budget mode).\n",
        # a row of both kinds of change
        "| Test | Old | New | Better |\n|---|---|---|---|\n| a | 37.6 s | 0.85 s | 45x |\n"
        "| b | 58.1 s | 2.58 s | 23x |\n| c | 80.0 s | 20.0 s | 75% |\n"
        "| d | 60.0 s | 30.0 s | 50% |\n"
        "| e | 50.0 s | 20.0 s | 60% |\n",
        # settings go in proportion by choice
        "| Name | vCPUs | Memory (GB) |\n|---|---|---|\n| a | 8 | 64 |\n| b | 16 | 128 |\n"
        "| c | 32 | 256 |\n"
        "| d | 64 | 512 |\n| e | 96 | 672 |\n",
        # code and what a tool prints are not claims
        "```\nread: IOPS=1000, BW=900MiB/s (1MB/s)\n```\n",
        # a mean of ratios is near the ratio of the means
        "| Test | Mean | Ratio |\n|---|---|---|\n| a | 2.410 ms | 1.00 |\n| b | 4.820 ms | 2.00 |\n"
        "| c | 13.26 ms | 5.50 |\n| d | 9.210 ms | 3.85 |\n| e | 36.15 ms | 14.95 |\n",
        # the largest ratio is not the ratio of the largest
        "| Test | Old | New | Ratio |\n|---|---|---|---|\n| a | 100 | 215 | 2.15 |\n"
        "| b | 300 | 411 | 1.37 |\n| c | 200 | 388 | 1.94 |\n| MAX RATIO | 300 | 411 | 2.15 |\n",
        # shares of one row are alternatives
        "| Codec | Write | Read | Size | Pack |\n|---|---|---|---|---|\n"
        "| a | 100.00% | 100.00% | 40.00% | 80.00% |\n| b | 23.17% | 61.43% | 17.32% | 35.54% |\n"
        "| c | 23.17% | 61.43% | 43.30% | 91.60% |\n",
        # a count in thousands is rounded to them; decades are not seconds
        "| Code | Hits | Time (s) | Hits/s |\n|---|---|---|---|\n| a | 61 k | 3.25 | 18769 |\n"
        "| b | 84 k | 2.81 | 29893 |\n| c | 1 k | 27.4 | 47 |\n| d | 77 k | 4.43 | 17381 |\n",
        "Countries with reductions of ~40% in the 70s, compared with the 2000s, are few.\n",
        # x + x = 2x is a doubling, no sum
        "| Card | slow | middle | fast |\n|---|---|---|---|\n"
        "| a | 1,314.25 | 1,314.25 | 2,628.50 |\n| b | 4,073.15 | 4,073.15 | 8,146.30 |\n"
        "| c | 2,519.85 | 2,519.85 | 5,039.70 |\n| d | 1,557.25 | 772.15 | 3,119.45 |\n",
        # a percentile of the latency is not a mean one
        "| Store | QPS | TP90 (ms) |\n|---|---|---|\n| a | 1,204 | 24.9 |\n| b | 2,390 | 12.6 |\n"
        "| c | 4,810 | 6.21 |\n| d | 9,050 | 3.30 |\n| e | 80,400 | 1.47 |\n"
        "| f | 37,700 | 0.797 |\n",
        # a row that fails in several columns was run otherwise
        "| Test | IOPS | ms | Striped IOPS | Striped ms |\n|---|---|---|---|---|\n"
        "| read, depth 64 | 52,400 | 1.22 | 60,100 | 1.06 |\n"
        "| write, depth 64 | 31,700 | 2.02 | 35,900 | 1.78 |\n"
        "| trim, depth 64 | 16,000 | 1.10 | 20,000 | 1.05 |\n",
        # a total of latencies is often their mean
        "| Op | IOPS | Latency (ms) |\n|---|---|---|\n| get | 1,210 | 0.513 |\n"
        "| put | 1,345 | 0.722 |\n| Total | 2,555 | 0.623 |\n",
        # of each node, not in another unit
        "We had a throughput of 16.5 GiB/s or 47.2 Gb/s per node.\n",
        # a deviation of rounded numbers is rounded, too
        "| Test | 1 | 2 | 3 | 4 | 5 | Std Dev |\n|---|---|---|---|---|---|---|\n"
        "| a | 84.50 | 84.07 | 84.52 | 84.23 | 84.17 | .200 |\n",
        # changes of percentiles have no order
        "| Test | p95 | p99 |\n|---|---|---|\n| a | -13.1% | -13.8% |\n| b | -5.0% | -4.0% |\n",
        # the change of a ratio is not the ratio of two changes
        "| | Begin | End | % Diff |\n|---|---|---|---|\n| Cursors | 2,666 | 2,678 | .45 |\n"
        "| Cursor to parent ratio | 1.64 | 1.66 | 1.30 |\n| Parents | 1,628 | 1,614 | -.87 |\n",
        # a deviation in brackets, of which some happen to be the multiple of the first row
        "| Hash | cycles |\n|---|---|\n| a | 209.06 (2) |\n| b | 218.48 (12) |\n"
        "| c | 396.81 (2) |\n| d | 865.21 (4) |\n| e | 872.83 (3) |\n| f | 238.92 (1) |\n"
        "| g | 473.15 (4) |\n| h | 402.37 (2) |\n| i | 563.63 (4) |\n"
        "| j | 612.01 (3) |\n| k | 225.65 (3) |\n| l | 236.07 (1) |\n",
    ],
)
def test_what_a_document_does_not_show_is_not_accused(found, text):
    assert fails(found(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        # one and sixty-four are sixty-four but for rounding: that shows no sum
        "| Store | Batch | Key length | Value length | Rate |\n|---|---|---|---|---|\n"
        + "".join(
            f"| {store} | {batch} | {length} | {length} | {rate} |\n"
            for store, batch, length, rate in (
                ("a", 1, 64, 812.4),
                ("a", 1, 4096, 333.1),
                ("b", 1, 64, 790.2),
                ("b", 1, 4096, 301.5),
                ("c", 1, 64, 640.9),
                ("c", 1, 4096, 288.8),
                ("c", 6, 64, 3120.4),
                ("c", 6, 4096, 1260.3),
            )
        ),
        # the number of a step is no operand
        "**Phase 2**: a cache for names \u2192 6.4 s (38.0% reduction)\n",
        # one number printed three times is one witness, among many rows of such numbers
        "| Kernel | Runs | Middle | Best | Worst |\n|---|---|---|---|---|\n"
        + "".join(
            f"| {name} | {runs} | 0.{digits} | 0.{digits[:3]} | 0.{worst} |\n"
            for name, runs, digits, worst in (
                ("fold", 1, "9722", "972"),
                ("hash", 1, "8393", "839"),
                ("parse", 1, "7404", "740"),
                ("sort", 1, "8848", "885"),
                ("skip", 1, "9120", "912"),
                ("reduction", 2, "9985", "999"),
                ("search", 1, "9744", "974"),
                ("stride", 1, "9668", "967"),
            )
        ),
        # shares of which no label says that they are changes
        "| Tool | Seen | Sure | Noise |\n|---|---|---|---|\n| a | 100% | 14% | 85% |\n"
        "| b | 100% | 17% | 82% |\n| c | 99% | 16% | 84% |\n| d | 99% | 21% | 77% |\n"
        "| e | 100% | 11% | 88% |\n",
        # a few very high values take a mean above its percentiles
        "| Route | Mean (ms) | p95 (ms) | Max (ms) |\n|---|---|---|---|\n"
        "| a | 1.20 | 2.10 | 9.1 |\n| b | 1.10 | 1.90 | 8.8 |\n"
        "| c | 2.95 | 2.05 | 93.4 |\n| d | 1.30 | 2.20 | 9.9 |\n",
        # two numbers that are nearly alike, of two things
        "| Step | Time (s) |\n|---|---|\n| rotate left | 0.02663 |\n| transpose | 0.01087 |\n\n"
        "Then load takes 0.02263 s, and the rotate of a small image 0.01082 s.\n",
        # a row that a number names, two digits, and a cell that is nearly the same
        "| Threads | Mean (ms) |\n|---|---|\n| 16 | 412 |\n| 64 | 801 |\n\n"
        "With 64 threads the old release took 851 ms.\n",
        "| Size | Slower |\n|---|---|\n| small | 6.1x |\n| large | 3.2x |\n\n"
        "A small one was 6.5x slower before.\n",
        # where 32 wait instead of one, a rate and its latency are 32 times further apart
        "| Test | IOPS | Latency (usec) |\n|---|---|---|\n| a | 1,600 | 625.10 |\n"
        "| b | 500 | 64010.33 |\n| c | 2,750 | 363.77 |\n| d | 1,500 | 666.41 |\n"
        "| e | 1,100 | 909.02 |\n| f | 2,740 | 364.96 |\n",
        # a part that is 0 in many rows is a part of the total in the others
        "| Program | Code | Fixed | Zeroed | Total |\n|---|---|---|---|---|\n"
        "| a | 103,077 | 0 | 0 | 103,077 |\n| b | 35,708 | 0 | 16 | 35,724 |\n"
        "| c | 25,568 | 0 | 320 | 25,888 |\n| d | 27,920 | 256 | 0 | 28,176 |\n"
        "| e | 48,356 | 640 | 0 | 48,996 |\n| f | 67,236 | 8 | 16 | 67,260 |\n",
        # a third part that is not printed: one digit off in some rows, and right in none
        "| Way | Forward (ms) | Backward (ms) | Total (ms) |\n|---|---|---|---|\n"
        "| a | 22.8 | 55.2 | 78.6 |\n| b | 26.1 | 42.2 | 69.7 |\n| c | 18.9 | 27.2 | 48.1 |\n",
        # a row that is an average itself is no value of the average below it
        "| Set | A | B | C |\n|---|---|---|---|\n| one | 24.48 | 22.95 | 19.24 |\n"
        "| two | 60.47 | 54.12 | 31.14 |\n| AVERAGE | 42.48 | 38.54 | 25.19 |\n"
        "| three | 62.21 | 54.73 | 38.35 |\n| four | 47.82 | 42.06 | 26.43 |\n"
        "| five | 54.68 | 48.07 | 44.96 |\n| OTHERS | 54.90 | 48.29 | 36.58 |\n"
        "| ALL AVERAGE | 49.93 | 44.39 | 32.02 |\n",
        # names of hardware are no percentiles
        "| Card | Seconds |\n|---|---|\n| P40 | 123 |\n| P100 | 82 |\n| V100 | 70 |\n",
        # every line prints the second by the first
        "- a: C (22,996 ns) vs P (26,026 ns): C wins (1.13x)\n"
        "- b: C (5,247 ns) vs P (3,054 ns): P wins (0.58x)\n",
        # how long each ran is not printed: what a run counted goes with its rate by no law
        "| Run | Ops/s | Samples |\n|---|---|---|\n| a | 73,741 | 36,888 |\n"
        "| b | 51,602 | 25,811 |\n| c | 1,594,439 | 797,238 |\n| d | 12,430 | 6,219 |\n"
        "| e | 284,117 | 142,077 |\n| f | 98,333 | 49,180 |\n| g | 21,282 | 13,730 |\n"
        "| h | 40,118 | 19,205 |\n| i | 77,906 | 38,102 |\n",
        # each ran 300 s, or so it seems: how long is not printed
        "| Run | Ops/s | Done |\n|---|---|---|\n| a | 31,367 | 9,410,100 |\n"
        "| b | 42,493 | 12,747,900 |\n| c | 58,204 | 17,461,200 |\n| d | 65,861 | 19,758,300 |\n"
        "| e | 69,801 | 20,940,300 |\n| f | 16,412 | 5,810 |\n",
        # of reads and writes mixed the latency is of the reads alone, in lists as in tables
        "- randread: 64,000 IOPS, avg latency 0.50 ms\n"
        "- randwrite: 32,000 IOPS, avg latency 1.00 ms\n"
        "- randrw: 40,000 IOPS, avg latency 0.60 ms\n- trim: 80,000 IOPS, avg latency 0.40 ms\n",
        # three items with the same words, of which each has a set-up of its own
        "- a: 4 nodes, 100 MB/s, 20 ms\n- b: 8 nodes, 200 MB/s, 25 ms\n"
        "- c: 9 nodes, 260 MB/s, 21 ms\n",
        # a factor within a cell is of the number it stands behind
        "| Step | Plain | A | B |\n|---|---|---|---|\n"
        "| one | 152.4ms | 155.6ms (0.98x) | 155.8ms (0.98x) |"
        "\n| two | 590.7ms | 630.2ms (0.94x) | 633.7ms (0.93x) |\n"
        "| three | 637.3ms | 671.4ms (0.95x) | 680.0ms (0.94x) |\n",
        # two lines of a log
        "Its log says:\n\n14:00:55.787485 W apply took too long, 160.7 ms for 1 of 20 requests in "
        "the queue.\n\nAnd then:\n\n14:03:11.120044 W apply took too long, 160.7 ms for 1 of 20 "
        "requests in the queue.\n",
        # two systems, each under its own head
        "# Small\n\nEach node has one CPU socket.\n\n# Large\n\nEach node has two CPU sockets.\n",
        # a list that goes on behind its "and"
        "We ran 60 variants: 30 over two shapes and three sizes, 18 with a cache, 12 without.\n",
    ],
)
def test_what_chance_or_another_meaning_explains_is_not_accused(found, text):
    assert fails(found(text)) == []


def test_a_total_that_its_head_names_is_held_against_its_parts(found):
    """The same two parts twice are one witness; the head says the rest."""
    text = (
        "| Load | First | Second | Total rows |\n|---|---|---|---|\n"
        "| small | 450,000 | 21,350,000 | 21,900,000 |\n"
        "| middle | 450,000 | 2,000,000 | 2,450,000 |\n"
        "| large | 450,000 | 2,000,000 | 2,450,000 |\n"
    )
    assert fails(found(text)) == [(3, "21,900,000", "21800000")]
