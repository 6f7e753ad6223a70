"""The test bed, drawn: measured in Chrome, no word leaves its box and nothing lies on anything."""

from __future__ import annotations

import itertools
import json
import random

import polars as pl
import pytest
from places import ROOT

import perfkit as pk
from perfkit.core import typeface
from perfkit.core.errors import AbsentError
from perfkit.core.lineage import Measured
from perfkit.core.schema import polars_schema
from perfkit.reporting.write.charts import _drawing_page
from perfkit.showing.figures.test_bed import draw_test_bed, plot_test_bed
from perfkit.showing.topology.drawing import wrap
from perfkit.showing.topology.layout import lay_out
from perfkit.showing.topology.parts import Bed, BedError, Link, Part
from perfkit.sources.rundir.schema import RUN_HOST

SEEDS = ("tr-4784", "tr-4819", "sas-ef550", "iris-a300")


def two_fabrics(hosts=4, paths=1, **more):
    """Hosts, two fabrics, an HA pair and its drives: what most test beds are."""
    parts = (
        Part("Host", "hosts", "2 x 32G FC · RHEL 8.2 · 256 GB", hosts, **more),
        Part("Fabric A", "switches", "FC switch, 64 ports"),
        Part("Fabric B", "switches"),
        Part("Controller A", "controllers", "8 x 32G FC", group="HA pair"),
        Part("Controller B", "controllers", "8 x 32G FC", group="HA pair"),
        Part("24 x 3.8 TB NVMe SSD", "shelves"),
    )
    links = [Link("Host", fabric, paths, "32G FC") for fabric in ("Fabric A", "Fabric B")]
    links += [
        Link(f"Fabric {fabric}", f"Controller {node}", 4, "32G FC")
        for fabric in "AB" for node in "AB"
    ]  # fmt: skip
    links += [Link(f"Controller {node}", "24 x 3.8 TB NVMe SSD") for node in "AB"]
    return Bed(parts, tuple(links))


def drawn(bed):
    return draw_test_bed(bed, value_id="test-bed", caption="The test bed.")


def shapes(figure, name):
    return [shape for shape in figure.plotly.layout.shapes if shape.name == name]


def words(figure):
    return [note.text for note in figure.plotly.layout.annotations]


# --- what is drawn -------------------------------------------------------------------------------


def test_each_part_has_its_box_and_each_path_its_line():
    figure = drawn(two_fabrics())
    assert len(shapes(figure, "box")) == 4 + 2 + 2 + 1
    lines = [shape.path.count("M") for shape in shapes(figure, "link")]
    assert lines == [1] * 8 + [4] * 4 + [1] * 2
    assert [text for text in words(figure) if "Host" in text] == [
        f"<b>Host {n}</b>" for n in range(1, 5)
    ]


def test_fabrics_are_told_apart_without_colour():
    """By their dashes; what meets no switch, or two, is a plain line."""
    ports = Link("Fabric A", "Fabric B", 2, "ISL")
    bed = two_fabrics()
    figure = drawn(Bed(bed.parts, (*bed.links, ports)))
    looks = [(shape.line.dash, shape.line.color) for shape in shapes(figure, "link")]
    assert len({looks[0][0], looks[4][0], looks[-1][0]}) == 2
    assert looks[0] == looks[8]
    assert looks[4] == looks[10]
    assert looks[0] != looks[4]
    assert looks[12] == looks[13] == looks[14]


@pytest.mark.parametrize("hosts", range(1, 17))
def test_more_than_four_alike_are_one_stack(hosts):
    figure = drawn(two_fabrics(hosts))
    names = [text for text in words(figure) if text.startswith("<b>Host")]
    if hosts <= 4:
        assert len(names) == hosts
        assert shapes(figure, "stack") == []
    else:
        assert names == [f"<b>Host 1 … Host {hosts}</b>"]
        assert len(shapes(figure, "stack")) == 2
        assert "A stack stands for several like parts" in words(figure)[-1]
    assert ("Host 1 to " in figure.alt) == (hosts > 2)


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ((4, 4), "Each line is a path."),
        ((4, None), "Where lines have a number of paths beside them, each line is a path."),
        ((None, None), "Lines show what is linked with what, but not over how many paths."),
        (
            (99, 99),
            "Lines show what is linked with what; the words at the left give the number of paths.",
        ),
    ],
)
def test_the_drawing_says_what_a_line_means(paths, said):
    parts = (Part("H", "hosts"), Part("C", "controllers"), Part("S", "shelves"))
    links = (Link("H", "C", paths[0]), Link("C", "S", paths[1]))
    figure = drawn(Bed(parts, links))
    assert words(figure)[-1] == said
    lines = [shape.path.count("M") for shape in shapes(figure, "link")]
    assert lines == [count if count in {1, 4} else 1 for count in paths]


def test_the_labels_name_the_parts_where_links_differ():
    parts = (Part("Host", "hosts", count=2), Part("A", "switches"), Part("B", "switches"))
    alike = (Link("Host", "A", 2, "32G FC"), Link("Host", "B", 2, "32G FC"))
    differing = (Link("Host", "A", 2, "32G FC"), Link("Host", "B", 1, "10GbE"))
    said = [
        words(drawn(Bed(parts, links)))[-2].replace("\u00a0", " ") for links in (alike, differing)
    ]
    assert said == [
        "2 paths each,<br>32G FC",
        "A: 2 paths each,<br>32G FC<br>B: 1 path each,<br>10GbE",
    ]


def test_the_alt_text_tells_the_topology():
    assert drawn(two_fabrics(16)).alt == (
        "Topology, from the top. Hosts: Host 1 to Host 16 (2 x 32G FC · RHEL 8.2 · 256 GB). "
        "Switches: Fabric A (FC switch, 64 ports); Fabric B. Controllers: Controller A (8 x 32G "
        "FC); Controller B (8 x 32G FC), together HA pair. Shelves: 24 x 3.8 TB NVMe SSD. Links: "
        "Host 1 to Host 16 with Fabric A and Fabric B, 1 path each, 32G FC; Fabric A with "
        "Controller A and Controller B, 4 paths each, 32G FC; Fabric B with Controller A and "
        "Controller B, 4 paths each, 32G FC; Controller A with 24 x 3.8 TB NVMe SSD; Controller B "
        "with 24 x 3.8 TB NVMe SSD."
    )


# --- what cannot be drawn ------------------------------------------------------------------------


def test_a_row_that_does_not_fit_is_refused():
    many = tuple(Part(f"Array {n}", "controllers") for n in range(300))
    with pytest.raises(BedError, match="300 parts do not fit side by side: write those that"):
        lay_out(Bed(many))


def test_in_a_row_only_neighbours_are_linked():
    parts = tuple(Part(name, "switches") for name in "ABC")
    assert lay_out(Bed(parts, (Link("A", "B"), Link("B", "C")))).strands
    with pytest.raises(BedError, match="'A' and 'C' are of one row") as caught:
        lay_out(Bed(parts, (Link("A", "B"), Link("A", "C"))))
    assert caught.value.place == ("links", 1)


def test_a_group_stands_together():
    parts = [
        Part(name, "controllers", group=group) for name, group in zip("ABC", "xyx", strict=True)
    ]
    with pytest.raises(BedError, match="the parts of group 'x' do not stand side by side"):
        lay_out(Bed(tuple(parts)))


def test_a_drawing_taller_than_a_page_is_refused():
    text = "word " * 300
    parts = tuple(Part(row, row, text) for row in ("hosts", "switches", "controllers"))
    with pytest.raises(BedError, match="is taller than a page"):
        lay_out(Bed(parts))


# --- as it is recorded ---------------------------------------------------------------------------


def recorded(*facts):
    rows = [dict(zip(RUN_HOST, fact, strict=True)) for fact in facts]
    return Measured(pl.DataFrame(rows, schema=polars_schema(RUN_HOST)), name="host")


def test_of_a_run_the_host_and_its_target_are_drawn_and_nothing_between_them():
    figure = plot_test_bed(recorded(
        ("host", "hostname", "db1", None), ("host", "memory_bytes", str(256 * 2**30), None),
        ("host", "product", None, None), ("target", "device.name", "sdb", None),
        ("target", "device.size_bytes", str(4 * 2**40), None),
        ("target", "filesystem", "xfs", None),
    ))  # fmt: skip
    assert figure.alt == (
        "Topology, from the top. Hosts: db1 (256 GiB). Volumes: Target sdb (4,096 GiB · xfs). "
        "Links: db1 with Target sdb."
    )
    assert figure.lineage.steps[-1].function == "figure.test_bed"


def test_of_several_hosts_nothing_is_drawn():
    """Whether they saw one storage is not recorded."""
    facts = [("target", "filesystem", "xfs", name) for name in ("a:1", "b:1")]
    with pytest.raises(AbsentError, match="whether its hosts saw the same storage"):
        plot_test_bed(recorded(*facts))


# --- words in the typeface -----------------------------------------------------------------------


def test_lines_of_text_hold_every_word():
    text = "2 x 32G FC · RHEL 8.2 · ausgesprochenlangerrechnername · 256 GB"
    lines = wrap(text, 90, 11)
    assert "".join(lines).replace("·", "").replace(" ", "") == text.replace("·", "").replace(
        " ", ""
    )
    assert all(typeface.width_em(line) * 11 <= 90 for line in lines)


def test_facts_stay_whole_where_they_fit():
    assert wrap("RHEL 8.2 · 256 GB", 60, 11) == ("RHEL 8.2", "256 GB")
    assert wrap("RHEL 8.2 · 256 GB", 160, 11) == ("RHEL 8.2 · 256 GB",)


# --- measured in Chrome --------------------------------------------------------------------------

_MEASURE = """
(async () => {
  const chart = %s;
  document.body.innerHTML = '<div id="chart"></div>';
  await Plotly.newPlot('chart', chart.data, chart.layout, {staticPlot: true});
  const edges = (item) => {
    const box = item.getBoundingClientRect();
    return [box.left, box.top, box.right, box.bottom];
  };
  const paths = [...document.querySelectorAll('#chart .shapelayer path')];
  const at = (path) => {
    const matrix = path.getScreenCTM(), length = path.getTotalLength(), points = [];
    for (let place = 0; place <= length; place += 2) {
      const point = path.getPointAtLength(place).matrixTransform(matrix);
      points.push([point.x, point.y]);
    }
    return points;
  };
  return {
    words: [...document.querySelectorAll('#chart .annotation-text')].map(edges),
    shapes: paths.map((path) => [path.dataset.index, edges(path)]),
    points: paths.map((path) => [path.dataset.index, at(path)]),
    page: edges(document.querySelector('#chart .main-svg')),
  };
})()
"""


@pytest.fixture(scope="module")
def page():
    drawing = _drawing_page(None, 60)
    yield drawing
    drawing.close()


def hits(one, other):
    apart = one[2] <= other[0] or other[2] <= one[0]
    return not (apart or one[3] <= other[1] or other[3] <= one[1])


def holds(outer, inner):
    return (
        outer[0] <= inner[0] and outer[1] <= inner[1]
        and inner[2] <= outer[2] and inner[3] <= outer[3]
    )  # fmt: skip


def check_clear(page, figure, family=None, width=None):
    """Words in their boxes, or clear of all; boxes clear of each other; no line on a word."""
    chart = json.loads(figure.plotly.to_json())
    if family:
        chart["layout"]["font"] = {"family": family}
    if width:
        chart["layout"]["width"] = width
    found = page.evaluate(_MEASURE % json.dumps(chart))
    kinds = [shape["name"] for shape in chart["layout"]["shapes"]]
    boxes = [edges for number, edges in found["shapes"] if kinds[int(number)] == "box"]
    lines = [
        points for number, points in found["points"] if kinds[int(number)] in {"link", "group"}
    ]
    assert len(found["words"]) == len(chart["layout"]["annotations"])
    for one, other in itertools.combinations(boxes, 2):
        assert not hits(one, other)
    for one, other in itertools.combinations(found["words"], 2):
        assert not hits(one, other), (one, other)
    for text, note in zip(found["words"], chart["layout"]["annotations"], strict=True):
        assert holds(found["page"], text), note["text"]
        around = [box for box in boxes if hits(box, text)]
        in_a_box = note["xanchor"] == "center"
        assert len(around) == in_a_box, note["text"]
        assert all(holds(box, text) for box in around), note["text"]
        met = [(x, y) for points in lines for x, y in points
               if text[0] < x < text[2] and text[1] < y < text[3]]  # fmt: skip
        assert not met, note["text"]
    for points in lines:
        for box in boxes:
            inner = (box[0] + 3, box[1] + 3, box[2] - 3, box[3] - 3)
            assert not any(inner[0] < x < inner[2] and inner[1] < y < inner[3] for x, y in points)
    assert all(0 <= x <= found["page"][2] for points in lines for x, _ in points)


@pytest.mark.slow
@pytest.mark.parametrize("study", SEEDS)
def test_the_seeds_stand_clear(page, study):
    [figure] = pk.open_study(ROOT / "data/studies" / study).test_bed()
    check_clear(page, figure)
    check_clear(page, figure, width=171.9 / 25.4 * 96)


@pytest.mark.slow
@pytest.mark.parametrize("hosts", range(1, 17))
def test_hosts_of_any_number_stand_clear(page, hosts):
    check_clear(page, drawn(two_fabrics(hosts, paths=2)))


@pytest.mark.slow
def test_words_stay_in_their_boxes_in_another_family(page):
    """A notebook's browser may lack the report's typeface."""
    check_clear(page, drawn(two_fabrics()), family="Liberation Sans, Arial")


WORDS = ("x", "RHEL 8.2", "2 x 32G FC", "ausgesprochenlangerrechnername.example.org", "· 256 GB",
         "W" * 30, "Ωμέγα", "NVMe/TCP <b>&amp;", "a_b-c" * 12, "long " * 40)  # fmt: skip


def any_bed(seed):
    """A test bed of up to six rows with words and links of any kind."""
    rng = random.Random(seed)
    rows = rng.sample(
        ("networks", "hosts", "switches", "controllers", "shelves", "volumes"), rng.randint(1, 4)
    )
    parts = [
        Part(
            f"{rng.choice(WORDS)} {row} {n}", row, rng.choice((None, *WORDS)),
            rng.choice((1, 1, 2, 5, 300)),
            group=rng.choice((None, None, f"g{n} {rng.choice(WORDS)[:60]}")),
        )
        for row in rows for n in range(rng.randint(1, 3))
    ]  # fmt: skip
    bed = Bed(tuple(parts))
    order = {part.name: bed.level(part.name) for part in parts}
    links = []
    for one, other in itertools.combinations(order, 2):
        upper, lower = sorted((one, other), key=order.get)
        if order[upper] != order[lower] and rng.random() < 0.5:
            links.append(
                Link(upper, lower, rng.choice((None, 1, 2, 4, 16)), rng.choice((None, "32G FC")))
            )
    return Bed(bed.parts, tuple(links))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_drawn_stands_clear(page, seed):
    bed = any_bed(seed)
    try:
        figure = drawn(bed)
    except BedError:  # too wide or too tall: the tests above
        return
    check_clear(page, figure)


def test_most_of_the_sample_is_drawn():
    """Else the test above would show nothing."""
    refused = 0
    for seed in range(40):
        try:
            lay_out(any_bed(seed))
        except BedError:
            refused += 1
    assert refused < 20
