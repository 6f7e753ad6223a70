"""Relations of a document that are found by themselves: each shape right, and each shape wrong."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import perfkit as pk
from perfkit.core.errors import ParseError
from perfkit.sources.printed.document.read import MOST_OF_A_PAGE, read_document


def fails(rows):
    return [(row["line"], row["printed"], row["recomputed"]) for row in rows
            if row["outcome"] in {"fails", "doubt"}]  # fmt: skip


CELLS = "\n\n".join(
    ["10", "55655", "18176", "73832", "32.66", "11", "55653", "18114", "73867", "34.66"]
)
ARRAYS = (
    "| Config | IOPS | Mean latency (ms) | p99 latency (ms) |\n|---|---|---|---|\n"
    "| nfs | 113,200 | 1.24 | 3.51 |\n| rbd | 135,600 | 1.05 | 3.12 |\n"
    "| ceph | 138,100 | 1.01 | 2.98 |\n\n"
)
SHAPES = {
    "read + write": (
        "| Host | Read IOPS | Write IOPS | Total IOPS |\n|---|---|---|---|\n"
        "| a | 1,200 | 310 | 1,510 |\n| b | 900 | 205 | 1,150 |\n",
        [(4, "1,150", "1105")],
    ),
    "rows of a metric each": (
        "| Metric | Before |\n|---|---|\n| Reads/s | 700 |\n| Writes/s | 200 |\n"
        "| Total IO/s | 800 |\n",
        [(5, "800", "900")],
    ),
    "user + system": (
        "Job\tUser CPU (s)\tSystem CPU (s)\tTotal CPU (s)\nsort\t10.5\t2.5\t13.0\n"
        "load\t9.0\t1.0\t11.0\n",
        [(3, "11.0", "10.0")],
    ),
    "sum, average, sample deviation": (
        "| Node | Rate |\n|---|---|\n| 1 | 10 |\n| 2 | 12 |\n| 3 | 17 |\n"
        "| Sum | 39 |\n| Avg | 14.5 |\n| Std Dev | 3.61 |\n",
        [(7, "14.5", "13.0")],
    ),
    "difference of two rows": (
        "System\tElapsed (min)\tMemory (GB)\nOld\t1482.10\t56.07\nNew\t1462.97\t56.07\n"
        "Delta\t-19.31\t+0.00\n",
        [(4, "-19.31", "−19.13")],
    ),
    "percent of two columns": (
        "| Mix | Old | New | Gain |\n|---|---|---|---|\n| read | 100 | 150 | 50% |\n"
        "| write | 80 | 100 | 35% |\n",
        [(4, "35%", "25")],
    ),
    "operations in flight, of rates in two units": (
        "| Load | Rate | Mean latency |\n|---|---|---|\n"
        "| 4K random write, depth 32 | 64,000 iops | 500 us |\n"
        "| 4K random read, depth 32 | 91,400 iops | 350 us |\n"
        "| 512K write, depth 32 | 410 MB/s | 40.9 ms |\n"
        "| 512K read, depth 32 | 191 MB/s | 18.3 ms |\n",
        [(6, "191 MB/s", "917")],
    ),
    "operations in flight, of two tables of one shape": (
        "**IOPS**\n\n| | 1 job | 4 jobs | 16 jobs |\n|---|---|---|---|\n"
        "| 1 client | 2,530 | 9,480 | 31,200 |\n| 4 clients | 9,700 | 33,100 | 77,800 |\n\n"
        "**Latency (us)**\n\n| | 1 job | 4 jobs | 16 jobs |\n|---|---|---|---|\n"
        "| 1 client | 395 | 422 | 513 |\n| 4 clients | 412 | 843 | 823 |\n",
        [(6, "33,100", "18980")],
    ),
    "two in a bracket behind a factor": (
        "Throughput: 3.8x increase (642.7 vs 170.3 reports/sec).\n\n"
        "Throughput: 8.3x increase (642.7 vs 170.3 reports/sec).\n\n"
        "It takes 4.5x less memory (8.80MB -> 1.97MB), then 4.5x less memory (9.70MB -> 1.97MB).\n",
        [(3, "8.3x", "3.8"), (5, "4.5x", "4.9")],
    ),
    "a difference with its sign": (
        "Memory grows from 140MB to 170MB (+30MB), and from 65MB to 1400MB (+1435MB).\n\n"
        "| Variant | QPS | Gain |\n|---|---|---|\n| a | 200 | +119 QPS (91->200) |\n"
        "| b | 200 | +90 QPS (110->200) |\n",
        [(1, "+1435MB", "+1335"), (5, "+119 QPS", "+109")],
    ),
    "a factor of times has no thousand to choose": (
        "| Case | Before | After | Gain |\n|---|---|---|---|\n"
        "| a | 4.000 ms | 100.0 us | 40.00x |\n"
        "| b | 3.000 ms | 60.00 us | 50.00x |\n| c | 7.000 ms | 200.0 us | 35.00x |\n"
        "| d | 9.000 ms | 300.0 us | 30.00x |\n| e | 8.000 ms | 200.0 us | 40.96x |\n",
        [(7, "40.96x", "40.00")],
    ),
    "percentiles in brackets": (
        "| Call | P(90) | P(99) |\n|---|---|---|\n| a | 1.2 ms | 3.1 ms |\n"
        "| b | 1.5 ms | 4.0 ms |\n| c | 1.4 ms | 3.9 ms |\n| d | 1.6 ms | 1.3 ms |\n",
        [(6, "1.3 ms", "\u2265 1.6 ms")],
    ),
    "mean of runs": (
        "| Threads | Run 1 | Run 2 | Run 3 | Mean |\n|---|---|---|---|---|\n"
        "| 4 | 10 | 11 | 12 | 11.0 |\n| 8 | 20 | 21 | 22 | 22.0 |\n",
        [(4, "22.0", "21.0")],
    ),
    "percentiles rise": (
        "| Load | p50 (ms) | p99 (ms) |\n|---|---|---|\n| 1 | 0.2 | 1.1 |\n| 2 | 0.3 | 0.1 |\n",
        [(4, "0.1", "≥ 0.3")],
    ),
    "one size of request": (
        "| Jobs | IOPS | MB/s |\n|---|---|---|\n| 1 | 10,000 | 81.92 |\n| 2 | 20,000 | 163.84 |\n"
        "| 4 | 30,000 | 245.76 |\n| 8 | 40,000 | 372.68 |\n",
        [(6, "372.68", "327.68")],
    ),
    "heads of two levels": (
        "| | Read | Read | Write | Write | Total | Total |\n|---|---|---|---|---|---|---|\n"
        "| Jobs | IOPS | MB/s | IOPS | MB/s | IOPS | MB/s |\n"
        "| 1 | 10 | 1.5 | 5 | 2.5 | 15 | 4.5 |\n",
        [(4, "4.5", "4.0")],
    ),
    "shares of a whole": (
        "| Step | Share (%) |\n|---|---|\n| Sort | 41.2 |\n| Merge | 33.1 |\n| Report | 24.7 |\n"
        "| Total | 100 |\n",
        [(6, "100", "99")],
    ),
    "a percentage of numbers with one unit": (
        "It rises by 76% (from 120,000 to 200,000 IOPS) on the new array.\n",
        [(1, "76%", "67")],
    ),
    "things counted twice": (
        "We used the four test hosts.\n\nOn the four test hosts ran RHEL.\n\n"
        "All six test hosts were busy.\n",
        [(5, "All six test hosts", "4")],
    ),
    "options of a command": (
        "```\nset -policy a -min-iops 100 -max-iops 200\n"
        "set -policy b -min-iops 300 -max-iops 200\n```\n",
        [(3, "-max-iops 200", "≥ 300")],
    ),
    "a gain stated twice": (
        "# Summary\n\nCPU utilization was reduced by 29% with the new protocol.\n\n# Conclusion\n\n"
        "We saw a CPU utilization that is 30% lower.\n",
        [(7, "30%", "29")],
    ),
    "two tables of one number": (
        "Table 2: Disks of the old array\n\nSome text.\n\nTable 2: Hosts of the test\n",
        [(5, "Table 2", None)],
    ),
    "one cell a paragraph": (
        "Results of the test\n\nRun Read IOPS Write IOPS Total IOPS Longest cycle (sec)\n\n"
        + CELLS
        + "\n\nServer b results\n",
        [(21, "73867", "73767")],
    ),
    "factors within cells, against a base row": (
        "| Tool | Time |\n|---|---|\n| a | 0.085s (1.00x) |\n| b | 0.221s (2.60x) |\n"
        "| c | 0.374s (4.40x) |\n| d | 0.629s (9.40x) |\n| e | 1.955s (23.00x) |\n",
        [(6, "9.40x", "7.40")],
    ),
    "several columns of changes": (
        "| Test | Plain | New | \u0394 vs plain | Old | \u0394 vs plain |\n"
        "|---|---|---|---|---|---|\n"
        "| a | 23,500 | 19,035 | **\\-19.0%** | 23,030 | **\u22122.0%** |\n"
        "| b | 41,200 | 28,840 | **\\-30.0%** | 40,788 | **\u22127.0%** |\n"
        "| c | 10,000 | 12,510 | **+25.1%** | 10,200 | **+2.0%** |\n"
        "| d | 24,000 | 34,300 | **+42.9%** | 24,200 | **+0.8%** |\n",
        [(4, "\u22127.0%", "\u22121.0")],
    ),
    "a rate is IOPS by the size of its row": (
        "| Block size | IOPS (K) | GB/s |\n|---|---|---|\n| 128 KiB | 9.95 | 1.30 |\n"
        "| 256 KiB | 9.69 | 2.54 |\n| 1 MiB | 11.82 | 12.69 |\n| 1 MiB | 13.82 | 14.49 |\n",
        [(5, "12.69", "12.39")],
    ),
    "one value in two units": (
        "It moved 215 MiB/s (226 MB/s), 100 MiB/s (105 MB/s) and 300 MiB/s (300 MB/s).\n",
        [(1, "300 MB/s", "315")],
    ),
    "percentiles with their labels in a cell": (
        "| Test | Result |\n|---|---|\n| a | QPS: 10K, P99.9: 1.2ms, P99: 1.8ms |\n",
        [(3, "1.2ms", "\u2265 1.8ms")],
    ),
    "two tables of one shape": (
        "**IOPS**\n\n| | 1 job | 4 jobs |\n|---|---|---|\n| a | 1,200 | 4,700 |\n"
        "| b | 2,390 | 9,300 |\n"
        "| c | 4,800 | 18,400 |\n\n**Bandwidth (MB/s)**\n\n| | 1 job | 4 jobs |\n|---|---|---|\n"
        "| a | 4.92 | 19.3 |\n| b | 9.79 | 83.1 |\n| c | 19.7 | 75.4 |\n",
        [(14, "83.1", "38.1")],
    ),
    "a quotient that only its digits show": (
        "| Board | Result | Wattage | Gflops/W |\n|---|---|---|---|\n"
        "| a | 311.42 Gflops | 40.2W | 7.75 |\n"
        "| b | 1,307.9 Gflops | 219W | 5.97 |\n| c | 58.316 Gflops | 11.1W | 5.25 |\n"
        "| d | 47.902 Gflops | 10.3W | 4.65 |\n| e | 662.75 Gflops | 143W | 6.43 |\n",
        [(7, "6.43", "4.63")],
    ),
    "things, seconds, and things a second": (
        "| Host | Things | Duration (s) | Things/s |\n|---|---|---|---|\n"
        "| a | 1,204,310 | 281 | 4286 |\n| b | 8,117,902 | 4390 | 1849 |\n"
        "| c | 9,240,655 | 1512 | 6112 |\n| d | 64,902,113 | 9871 | 9575 |\n",
        [(6, "9575", "6575")],
    ),
    "so many of a rate each": (
        "| Drives | A drive | All |\n|---|---|---|\n| 139 | 20 MB/s | 2.78 GB/s |\n"
        "| 185 | 33 MB/s | 6.11 GB/s |\n| 68 | 20 MB/s | 1.86 GB/s |\n"
        "| 90 | 33 MB/s | 2.97 GB/s |\n| 80 | 85 MB/s | 6.80 GB/s |\n",
        [(5, "1.86 GB/s", "1.36")],
    ),
    "a share of a count": ("24 of 60 (40%) jobs passed, then 38/43 (83%).\n", [(1, "83%", "88")]),
    "a change in brackets, of a unit nobody knows": (
        "Audio rose from 26.55 audio-s/s to 42.88 audio-s/s (+65.1%), while latency "
        "dropped from 17.7 s to 9.0 s.\n",
        [(1, "+65.1%", "+61.5")],
    ),
    "multiples of the row that is 1.00": (
        "| Way | Mean | Scaled |\n|---|---|---|\n| a | 48.20 ns | 1.00 |\n"
        "| b | 134.96 ns | 2.80 |\n| c | 207.26 ns | 4.80 |\n| d | 651.18 ns | 13.51 |\n",
        [(5, "4.80", "4.30")],
    ),
    "a ratio against the size in the head": (
        "| Archive (38.50 GiB) | a | b | c | d |\n|---|---|---|---|---|\n"
        "| Packed size | 11.15 GiB | 0.512 GiB | 2.764 GiB | 0.433 GiB |\n"
        "| Packing ratio | 3.453 | 75.2 | 19.33 | 88.9 |\n",
        [(4, "19.33", "13.93")],
    ),
    "throughput by the size that rows state": (
        "| Test | IOPS | MB/s |\n|---|---|---|\n| 4k read | 10,000 | 40.96 |\n"
        "| 64k read | 2,000 | 131.1 |\n| 1M read | 300 | 413.6 |\n",
        [(5, "413.6", "314.6")],
    ),
    "bytes, and their value with a unit": (
        "The buffer has 134217728 bytes (128 MiB), the cache 286435456 (256 MB).\n",
        [(1, "256 MB", "286")],
    ),
    "spanned heads of a web table": (
        "<table><tr><th rowspan=2>Jobs</th><th colspan=3>IOPS</th></tr>\n"
        "<tr><th>Read</th><th>Write</th><th>Total</th></tr>\n"
        "<tr><td>1</td><td>1,200</td><td>310</td><td>1,510</td></tr>\n"
        "<tr><td>2</td><td>2,400</td><td>620</td><td>3,200</td></tr></table>\n",
        [(4, "3,200", "3020")],
    ),
    "a total of times": (
        "| Query | A (ms) | B (ms) |\n|---|---|---|\n| q1 | 812 | 644 |\n| q2 | 1,905 | 1,377 |\n"
        "| q3 | 233 | 298 |\n| q4 | 4,120 | 3,871 |\n| Total | 7,070 | 6,910 |\n",
        [(7, "6,910", "6190")],
    ),
    "all of them, by a slip alone": (
        "| Phase | Seconds |\n|---|---|\n| load | 81.2 |\n| sort | 190.5 |\n| write | 23.3 |\n"
        "| All | 259.0 |\n",
        [(6, "259.0", "295.0")],
    ),
    "columns of times and their total": (
        "| Op | CPU (ms) | Disk (ms) | Net (ms) | Total time (ms) |\n|---|---|---|---|---|\n"
        "| get | 12.5 | 20.1 | 4.4 | 37.0 |\n| put | 22.1 | 31.4 | 6.5 | 60.0 |\n"
        "| list | 5.2 | 9.1 | 1.1 | 14.5 |\n",
        [(5, "14.5", "15.4")],
    ),
    "one value in two units, without brackets": (
        "The run took 330 seconds, or 5.5 minutes; then 215 MiB/s / 226 MB/s and 300 MiB/s / "
        "351 MB/s.\n",
        [(1, "351 MB/s", "315")],
    ),
    "one rate in thousands and in millions": (
        "It reached 1,234,567 IOPS (1.32M IOPS) and 2,500,000 IOPS (2.50M IOPS).\n",
        [(1, "1.32M IOPS", "1.23M IOPS")],
    ),
    "columns of one thing in two units": (
        "| Test | Latency (us) | Latency (ms) |\n|---|---|---|\n| a | 812 | 0.812 |\n"
        "| b | 1905 | 1.905 |\n| c | 2330 | 2.033 |\n",
        [(5, "2.033", "2.330")],
    ),
    "a factor in brackets, and no word": (
        "- Insert: 120 ms vs 80 ms (1.5x)\n- Delete: 60 ms vs 20 ms (4.2x)\n",
        [(2, "4.2x", "3.0")],
    ),
    "a mean above its maximum, with their labels": (
        "- min: 1.2 ms, avg: 13.1 ms, max: 9.9 ms\n",
        [(1, "9.9 ms", "\u2265 13.1 ms")],
    ),
    "points of percentages, with their signs": (
        "| Model | Old | New | Diff |\n|---|---|---|---|\n| a | 21.8% | 20.9% | -0.9% |\n"
        "| b | 23.1% | 23.3% | +0.2% |\n| c | 43.3% | 47.0% | -3.7% |\n"
        "| d | 48.2% | 53.0% | +4.8% |\n",
        [(5, "-3.7%", "3.7")],
    ),
    "a mean of columns that no names make a sample": (
        "| Task | S | M | L | Average |\n|---|---|---|---|---|\n| a | 6.0x | 7.0x | 8.4x | 7.1x |\n"
        "| b | 9.7x | 1.7x | 0.9x | 4.1x |\n| c | 4.4x | 3.7x | 3.2x | 8.3x |\n"
        "| d | 16.4x | 20.1x | 20.6x | 19.0x |\n| e | 2.1x | 2.4x | 3.1x | 2.5x |\n",
        [(5, "8.3x", "3.8")],
    ),
    "a smaller factor than one": (
        "- Insert: 120 ms vs 80 ms - the second wins (0.67x)\n"
        "- Delete: 60 ms vs 20 ms - the second wins (0.83x), four times faster\n",
        [(2, "0.83x", "0.33")],
    ),
    "code between signs of which one names its language": (
        "```\nrun\n```sh\nnone\n```\n\n| Read IOPS | Write IOPS | Total IOPS |\n|---|---|---|\n"
        "| 1,200 | 310 | 1,510 |\n| 900 | 205 | 1,150 |\n",
        [(10, "1,150", "1105")],
    ),
    "rows of times that add up": (
        "| Run | Scan (s) | Sort (s) | Write (s) | Total (s) |\n|---|---|---|---|---|\n"
        "| a | 10.2 | 20.1 | 5.5 | 35.8 |\n| b | 11.7 | 22.4 | 6.1 | 40.2 |\n"
        "| c | 9.8 | 19.7 | 5.2 | 71.2 |\n| d | 10.9 | 21.0 | 5.8 | 37.7 |\n",
        [(5, "71.2", "34.7")],
    ),
    "totals of columns of times, one far off": (
        "| Stage | A (ms) | B (ms) | C (ms) |\n|---|---|---|---|\n| parse | 120 | 133 | 98 |\n"
        "| plan | 45 | 51 | 40 |\n| exec | 880 | 901 | 777 |\n| fetch | 205 | 212 | 199 |\n"
        "| **Total** | 1,250 | 1,977 | 1,114 |\n",
        [(7, "1,977", "1297")],
    ),
    "changes within cells": (
        "| Bench | Result |\n|---|---|\n| a | 120 ms \u2192 90 ms (-25%) |\n"
        "| b | 200 ms \u2192 110 ms (-31%) |\n| c | 50 ms \u2192 40 ms (-20%) |\n",
        [(4, "-31%", "\u221245")],
    ),
    "used and free are the whole": (
        "| Pool | Size (GB) | Used (GB) | Free (GB) |\n|---|---|---|---|\n"
        "| a | 1000 | 400 | 600 |\n| b | 2900 | 1500 | 500 |\n| c | 500 | 100 | 400 |\n",
        [(4, "2900", "2000")],
    ),
    "a mean above all but one of ten thousand": (
        "| Test | Mean (ms) | p99 (ms) | p99.99 (ms) |\n|---|---|---|---|\n"
        "| a | 1.7 | 14 | 41 |\n| b | 65 | 278 | 725 |\n| c | 2738 | 40 | 1955 |\n"
        "| d | 10 | 278 | 513 |\n",
        [(5, "2738", "\u2264 1955")],
    ),
    "an improvement by what the latency fell from": (
        "Response time improved by **40.25%** (17,931ms \u2192 10,549ms) and throughput by "
        "**24.45%** (25.36 \u2192 31.56 req/sec).\n",
        [(1, "40.25%", "41.17")],
    ),
    "one slip of a digit where all others hold": (
        "| Packer | Size | Ratio |\n|---|---|---|\n| none | 211947520 | 100.00 |\n"
        "| a | 100880800 | 47.60 |\n| b | 87591763 | 41.33 |\n| c | 79807909 | 37.65 |\n"
        "| d | 77892285 | 36.75 |\n| e | 103402971 | 48.97 |\n| f | 86232422 | 40.69 |\n",
        [(8, "48.97", "48.79")],
    ),
    "a table drawn with signs": (
        "+---+-----------+------------+------------+\n"
        "| H | Read IOPS | Write IOPS | Total IOPS |\n"
        "+===+===========+============+============+\n"
        "| a | 1 200     | 310        | 1 510      |\n"
        "+---+-----------+------------+------------+\n"
        "| b | 900       | 205        | 1 150      |\n"
        "+---+-----------+------------+------------+\n",
        [(6, "1,150", "1105")],
    ),
    "a change in a cell": (
        "| What | Result |\n|---|---|\n| Total | 248.8 ms \u2192 139.1 ms (**\u221254%**) |\n"
        "| Queries | 5 of 11 |\n",
        [(3, "\u221254%", "44")],
    ),
    "two digits swapped in a total": (
        "| Client | Accepted | Committed | Aborted |\n|---|---|---|---|\n"
        "| C | 154,800 | 116,100 | 38,700 |\n| D | 1,170,400 | 830,600 | 276,800 |\n",
        [(4, "1,170,400", "1107400")],
    ),
    "a column in proportion, whose constant no unit tells": (
        "| depth | iops | total_ios |\n|---|---|---|\n| 1 | 108365.87 | 32509761 |\n"
        "| 2 | 124779.61 | 37433883 |\n| 4 | 130072.33 | 39021699 |\n| 8 | 130657.61 | 93197283 |\n"
        "| 16 | 131217.62 | 39365286 |\n| 32 | 132017.46 | 39605238 |\n"
        "| 64 | 136637.79 | 40991337 |\n"
        "| 96 | 137911.03 | 41373309 |\n| 128 | 139277.40 | 41783220 |\n",
        [(6, "130657.61", "310657.61")],
    ),
    "one row of many that is a ratio among changes": (
        "| Package | Time | Time against ours |\n|---|---|---|\n| ours | 656 ns/op | +0% |\n"
        + "".join(
            f"| p{time} | {time} ns/op | {round((time / 656 - 1) * 100):+}% |\n"
            for time in (935, 380, 2249, 2481, 9591, 11393, 11654, 1210)
        )
        + "| last | 2479 ns/op | +378% |\n",
        [(12, "+378%", "+278")],
    ),
    "a reduction of what is the same in each row": (
        "| Level | Input | Output | Reduction |\n|---|---|---|---|\n"
        "| 1 | 4014735833 | 1059723369 | 73.60% |\n| 2 | 4014735833 | 961580539 | 76.05% |\n"
        "| 3 | 4014735833 | 899182886 | 77.60% |\n| 4 | 4014735833 | 1128706759 | 71.89% |\n"
        "| 5 | 4014735833 | 1093823291 | 27.75% |\n| 6 | 4014735833 | 1063768713 | 73.50% |\n",
        [(7, "27.75%", "72.75")],
    ),
    "times that fall and rates that rise": (
        "| Metric | Before | After | Improvement |\n|---|---|---|---|\n"
        "| Duration | 86.71s | 6.91s | 12.5x faster |\n"
        "| Rate | 2.28 ops/sec | 28.93 ops/sec | 12.7x faster |\n"
        "| Wait | 4.31s | 1.02s | 4.2x faster |\n"
        "| Reads | 310 ops/sec | 970 ops/sec | 1.3x faster |\n",
        [(6, "1.3x", "3.1")],
    ),
    "one row in each of several tables": (
        "".join(
            f"### {name}\n\n| Metric | old | new | Speedup |\n|---|---|---|---|\n"
            f"| Real time | {old} s | {new} s | {times}x |\n\n"
            for name, old, new, times in (
                ("One", "15.803", "0.428", "39.6"),
                ("Two", "82.890", "3.440", "24.1"),
                ("Three", "21.404", "0.806", "26.6"),
            )
        ),
        [(5, "39.6x", "36.9")],
    ),
    "a total of money": (
        "| Item | Cost |\n|---|---|\n| Balancers | $200 |\n| Gateway | $100 |\n| NAT | $300 |\n"
        "| DNS | $50 |\n| **Total** | **$560** |\n",
        [(7, "560", "650")],
    ),
    "a total in another language": (
        "| Роль | Число | Оклад |\n|---|---|---|\n| Первая | 1 | 400,120 |\n"
        "| Вторая | 2 | 350,310 |\n"
        "| Третья | 4 | 270,045 |\n| **ИТОГО** | **7** | **1,200,475** |\n",
        [(6, "1,200,475", "1020475")],
    ),
    "a mean above its 99th percentile, as nowhere else": (
        "| Load | avg (ms) | p99 (ms) |\n|---|---|---|\n| a | 1.3 | 2.0 |\n| b | 1.1 | 1.8 |\n"
        "| c | 9.6 | 5.0 |\n| d | 2.6 | 5.4 |\n| e | 3.1 | 6.0 |\n| f | 3.3 | 7.0 |\n",
        [(5, "9.6", "\u2264 5.0")],
    ),
    "means with their deviations": (
        "| Command | Mean [ms] | Relative |\n|---|---|---|\n| a | 34.4 \u00b1 1.2 | 1.00 |\n"
        "| b | 68.5 \u00b1 7.2 | 1.99 \u00b1 0.22 |\n| c | 103.3 \u00b1 2.2 | 3.00 \u00b1 0.12 |\n"
        "| d | 150.7 \u00b1 3.1 | 3.48 \u00b1 0.15 |\n",
        [(6, "3.48", "4.38")],
    ),
    "a difference of one": (
        "| Queue | Old | New | Delta |\n|---|---|---|---|\n| a | 310 | 318 | 8 |\n"
        "| b | 407 | 419 | 12 |\n| c | 522 | 529 | 7 |\n| d | 611 | 617 | 1 |\n",
        [(6, "1", "6")],
    ),
    "a quotient of the two columns beside it": (
        "| Case | device ms | host ms | host/device |\n|---|---|---|---|\n"
        "| before | 1.26 | 3.60 | 2.58x |\n"
        "| after | 1.26 | 1.63 | 1.29x |\n| stream | 0.73 | 1.75 | 2.40x |\n",
        [(3, "2.58x", "2.86")],
    ),
    "percentiles in rows with a word beside each": (
        "| Metric | Value | Status |\n|---|---|---|\n| Average | 6.36ms | good |\n"
        "| Maximum | 93.92ms | low |\n"
        "| p(90) | 22.62ms | good |\n| p(95) | 82.8ms | best |\n| p(99) | 43.82ms | great |\n",
        [(7, "43.82ms", "\u2265 82.8ms")],
    ),
}  # fmt: skip
FORMS = {
    "paper.adoc": (
        "= Results\n\n[cols=\"4*\"]\n|===\n|Host |Read IOPS |Write IOPS |Total IOPS\n\n"
        "|a\n|1,200\n|310\n|1,510\n\n|b |900 |205 |1,150\n|===\n\n"
        "----\niops=300 (1MiB/s) bw=10MiB/s (20MB/s)\n----\n",
        [(12, "1,150", "1105")],
    ),
    "spanned.adoc": (
        "= Results\n\n[cols=4*,options=\"header\"]\n|===\n|\n3+|Some machine\n\n"
        "|\nh|Read IOPS\nh|Write IOPS\nh|Total IOPS\n\n"
        "|a\n|1,200\n|310\n|1,510\n\n|b\n|900\n|205\n|1,150\n\n|c\n|700\n|===\n",
        [(21, "1,150", "1105")],
    ),
    "paper.html": (
        "<div class=c><p>Slowest throughput</p><b>934.2 MB/s</b></div>\n"
        "<div class=c><p>Average throughput</p><b>1667.3 MB/s</b></div>\n"
        "<div class=c><p>Fastest throughput</p><b>1190.9 MB/s</b></div>\n",
        [(3, "1190.9 MB/s", "\u2265 1667.3 MB/s")],
    ),
    "paper.rst": (
        "Hosts\n~~~~~\n\n"
        "==== ========= ========== ==========\nHost Read IOPS Write IOPS Total IOPS\n"
        "==== ========= ========== ==========\na    1,200     310        1,510\n"
        "b    900       205        1,150\n==== ========= ========== ==========\n",
        [(8, "1,150", "1105")],
    ),
}  # fmt: skip


@pytest.mark.slow
def test_what_is_told_does_not_depend_on_the_run(tmp_path):
    """A set has another order in each process: of as many times as shares, neither is the usual."""
    path = tmp_path / "paper.md"
    path.write_text(
        "| Metric | Value | Improvement |\n|---|---|---|\n| Min Latency | ~30 us | 32% faster |\n"
        "| P50 Latency | ~90 us | 36% faster |\n| P90 Latency | ~150 us | 31% faster |\n"
        "| P95 Latency | ~180 us | 30% faster |\n| P99 Latency | ~45 us | 93% faster |\n"
    )
    command = [sys.executable, "-m", "perfkit", "audit", str(path)]
    told = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False
        ).stdout
        for seed in "0123"
    }
    assert len(told) == 1
    assert b"P95 Latency must not be above P99 Latency" in told.pop()


@pytest.mark.parametrize("name", FORMS)
def test_tables_of_other_forms_are_read_and_listings_are_code(found, name):
    text, wanted = FORMS[name]
    assert fails(found(text, name)) == wanted


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_found_with_its_error_and_nothing_else(found, shape):
    """The one wrong number of a text is the one finding, with its line and the right number."""
    text, wanted = SHAPES[shape]
    assert fails(found(text)) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "It rises by 67% (from 120,000 to 200,000 IOPS).",
        "From 4 to 64 threads the rate rises by 67%.",
        "From 2023 to 2024 the number of IOPS rose by 50%.",
        "Latency rises by 30% from 100,000 to 200,000 IOPS.",
        "The rate rises by 25% from 100 to 125K IOPS.",
    ],
)
def test_only_a_unit_of_performance_is_handed_on_to_the_number_before_it(found, text):
    """Years, threads and scales are not the change: there nothing is said."""
    assert fails(found(f"{text}\n")) == []


@pytest.mark.parametrize(
    "rows",
    [
        # half of the writes wait elsewhere, as those of the second volume do
        "| 4K write, depth 32 | 20,000 | 800 |\n| 8K write, depth 32 | 10,000 | 1600 |\n",
        # the rate of two hosts, beside the latency of one
        "| 4K write, depth 32 | 40,000 | 1600 |\n",
        # measured apart
        "| 4K write, depth 32 | 41,000 | 700 |\n",
    ],
)
def test_a_row_with_another_load_than_it_says_is_no_slip(found, rows):
    """Operations in flight by Little's law: what a set-up explains is not told."""
    table = "| Load | IOPS | Latency (us) |\n|---|---|---|\n"
    for depth, latency in [(1, 200), (2, 210), (8, 300), (16, 350), (32, 400), (64, 703)]:
        table += f"| 4K read, depth {depth} | {round(depth / latency * 1e6)} | {latency} |\n"
    told = found(table + rows)
    assert fails(told) == []
    assert sum(row["name"].startswith("rate =") for row in told) == 6


def test_what_rounding_explains_is_no_finding(found):
    """10.4 + 20.4 is 30.8, and 10 + 20 can therefore be 31."""
    rows = found("| Read IOPS | Write IOPS | Total IOPS |\n|---|---|---|\n| 10 | 20 | 31 |\n")
    assert [(row["outcome"], row["by_rounding"]) for row in rows] == [("within rounding", True)]
    assert (rows[0]["recomputed_low"], rows[0]["recomputed_high"]) == (29, 31)


def test_latencies_are_not_added_and_names_are_no_changes(found):
    """A Total row says nothing of a latency, and a thing may be called Delta."""
    rows = found(
        "| Host | IOPS | Latency (ms) |\n|---|---|---|\n| a | 10 | 0.5 |\n| b | 12 | 0.7 |\n"
        "| Total | 22 | 0.6 |\n\n"
        "| Store | Rows |\n|---|---|\n| Parquet | 8000 |\n| SQLite | 8000 |\n"
        "| Delta Lake tables | 8000 |\n"
    )
    assert fails(rows) == []
    assert {row["kind"] for row in rows} == {"sum"}


def test_a_limit_is_held_against_its_column_alone(found):
    """A duty applies to the column it names, whatever else the table holds."""
    rows = found(
        "To pass the test, the write cycle must be below 45 seconds.\n\n"
        "| Run | Write cycle (sec) | Flush time (sec) |\n|---|---|---|\n| 1 | 44.9 | 80 |\n"
        "| 2 | 45.2 | 90 |\n"
    )
    assert fails(rows) == [(6, "45.2", "< 45 seconds")]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("240 119", "240,119"),
        ("15 392 \u00b5s", "15,392 \u00b5s"),
        ("3 861 066 us", "3,861,066 us"),
        ("104 857 600 (100 Mo)", "104,857,600 (100 Mo)"),
        ("24 960GB SSDs", "24 960GB SSDs"),
        ("2 100 GbE", "2 100 GbE"),
        ("64 128 256 KiB", "64 128 256 KiB"),
    ],
)
def test_a_number_with_blanks_is_one_and_a_count_beside_a_size_is_not(tmp_path, cell, text):
    path = tmp_path / "a.md"
    path.write_text(f"| Server | What |\n|---|---|\n| a | {cell} |\n", encoding="utf-8")
    assert pk.read_document(path)["cells"].frame["text"].to_list()[-1] == text


def test_footnotes_bold_and_scales_do_not_hide_numbers(found):
    rows = found(
        "| **Host** | Read IOPS (K) | Write IOPS (K) | Total IOPS (K) |\n|---|---|---|---|\n"
        "| **a** | 12.5[^1] | 2.5* | **16.0** |\n"
    )
    assert fails(rows) == [(3, "**16.0**".strip("*"), "15.0")]


def test_csv_holds_several_tables_with_their_lines(found):
    rows = found(
        "Host,Read IOPS,Write IOPS,Total IOPS\na,1,2,3\n\n"
        "Host,Reads/s,Writes/s,Total IO/s\nb,40,50,100\n",
        "t.csv",
    )
    assert fails(rows) == [(5, "100", "90")]


def test_an_empty_document_a_broken_pdf_and_an_office_document_are_errors(tmp_path):
    """No table and no sentence, no PDF, or a form that is not read: an error names the file."""
    (tmp_path / "empty.md").write_text("\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (tmp_path / "report.docx").write_bytes(b"PK")
    for name, words in (
        ("empty.md", "holds no table"),
        ("broken.pdf", "cannot be read as a PDF"),
        ("report.docx", "report.docx.*save it as PDF, HTML or CSV"),
    ):
        with pytest.raises(ParseError, match=words):
            pk.read_document(tmp_path / name)


def test_sound_sentences_and_names_are_not_accused(found):
    """Counts set against each other, pools called p1 and p2, gains of several things."""
    rows = found(
        "# Summary\n\nThe two test hosts had 25GbE, the four test hosts had 100GbE.\n\n"
        "Tests show 48% higher throughput for reads and 22% higher throughput for writes.\n\n"
        "Bandwidth increased from 10.2 GB/s to 15.1 GB/s (48%).\n\n"
        "Response time was reduced by 41.28%.\n\n"
        "# Conclusion\n\nA response time that is 41% lower.\n\n"
        "| Step | Before (ms) | After (ms) | Speed-up |\n|---|---|---|---|\n"
        "| Paths | 4535 | 285 | 15.9x |\n| Sum-up | 250 | 208 | 1.2x |\n"
        "| Total | 4785 | 493 | 9.7x |\n\n"
        "| Pool | Used (TB) | Free (TB) | Total (TB) |\n|---|---|---|---|\n"
        "| p1 | 12.5 | 7.5 | 20.0 |\n| p2 | 10.1 | 19.9 | 30.0 |\n"
    )
    assert fails(rows) == []
    assert [row["outcome"] for row in rows].count("holds") >= 3


def test_a_page_that_is_a_drawing_of_a_million_parts_is_left_out_and_told(tmp_path):
    """Looking through one took 16 s, and made nothing of the pages beside it."""
    from pypdf import PdfWriter
    from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject

    names = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    font = DictionaryObject({NameObject(k): NameObject(v) for k, v in names.items()})
    writer = PdfWriter()
    for content in (
        b"BT /F1 12 Tf 72 700 Td (We saw 24 of 60 \\(50%\\) of them.) Tj ET",
        b"0 0 m 100 100 l S\n" * (MOST_OF_A_PAGE // 18 + 1),
    ):
        page, stream = writer.add_blank_page(612, 792), DecodedStreamObject()
        stream.set_data(content)
        page[NameObject("/Contents")] = writer._add_object(stream)
        page[NameObject("/Resources")] = DictionaryObject(
            {NameObject("/Font"): DictionaryObject({NameObject("/F1"): font})}
        )
    writer.write(tmp_path / "paper.pdf")
    found = read_document(tmp_path / "paper.pdf")
    (sentence,) = found["sentences"].frame["text"].to_list()
    assert "24 of 60 (50%)" in sentence
    (warning,) = found.evidence.warnings
    assert warning.startswith("page 2 was not read: it is a drawing")
