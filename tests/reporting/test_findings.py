"""The page of findings: what stands on it, in which order, on paper and on the page."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pytest
from pypdf import PdfReader

from perfkit.core.cautions import caution
from perfkit.core.errors import ReportError
from perfkit.core.evidence import Evidence, Lineage
from perfkit.core.findings import Finding, Findings
from perfkit.core.unanswered import Unanswered
from perfkit.core.values import MIME
from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.document.blocks import (
    Beside,
    ChartBlock,
    FindingsBlock,
    Heading,
    Paragraph,
    See,
    TableBlock,
    plain_text,
)
from perfkit.reporting.document.parts import PART
from perfkit.reporting.write.exporters import export_pdf
from perfkit.reporting.write.html import write_html
from perfkit.reporting.write.typst_text import write_typst

FILES = (Evidence("fio", "a.json", "aa"), Evidence("fio", "b.json", "bb"))
TOLD = (caution("highest_load", of="A"), caution("one_repeat", of="A"))


def finding(**more):
    given = {"headline": "A gives at least 26,400 IOPS.", "text": "At iodepth 16, one repeat."}
    return Finding("peak-iops", **{**given, "cautions": TOLD, **more})


def findings(*items, **more):
    return Findings("findings", items or (finding(),), **{"cautions": TOLD, **more})


def read(sample, *cells, **front):
    values = [sample.front(abstract=None, sections={}, **front)] if front else []
    return read_document(sample.notebook(*values, *cells))


def on_page(document, kind):
    return [p.block for p in document.blocks[: document.page] if isinstance(p.block, kind)]


def lines(block):
    return [plain_text(one.children) for item in block.items for one in item]


def words_of(document):
    """Title -> the lines below it, of what stands side by side."""
    (beside,) = on_page(document, Beside)
    return {plain_text(part[0].children): lines(part[-1]) for part in beside.parts}


def test_they_stand_first_and_the_chart_with_them_once(sample):
    chart = sample.curve("latency-curve")
    document = read(sample, "# Results", chart, findings(hero=("latency-curve",)))
    page = document.blocks[: document.page]
    assert [type(p.block) for p in page] == [Heading, FindingsBlock, ChartBlock, Beside]
    assert page[0].block.anchor == "findings"
    rest = document.blocks[document.page :]
    assert not [p for p in rest if isinstance(p.block, ChartBlock)]
    assert document.labels["latency-curve"].text == "Figure 1"
    left = next(p.block for p in rest if isinstance(p.block, Paragraph))
    assert plain_text(left.children).endswith("is shown with the findings.")


def test_a_study_without_an_abstract_has_its_headlines_as_one(sample):
    second = finding(headline="B gives less.", text="")
    document = read(sample, "# Results", findings(finding(), second))
    items, how = (placed.block for placed in document.abstract)
    assert [plain_text(block.children) for (block,) in items.items] == [
        "A gives at least 26,400 IOPS.",
        "B gives less.",
    ]
    assert plain_text(how.children) == "Read these with the cautions on the findings page."


def in_parts(sample, **records):
    """The notebook of a report whose parts have one record of findings each."""
    made = sample.notebook(*(cell for name, own in records.items() for cell in (f"# {name}", own)))
    for number, cell in enumerate(made.cells):
        cell.metadata[PART] = list(records)[number // 2]
    return made


def test_findings_of_several_parts_stand_below_the_titles_of_these(sample):
    """ "Sessions went from 1.85 to 2.19" of one database stood above "XYDB averaged 381"."""
    panel = finding(headline="A: no.", panel="Is it storage?")
    both = {"before": findings(finding(), finding(), panel), "trend": findings(finding(), panel)}
    document = read_document(in_parts(sample, **both))
    (block,) = on_page(document, FindingsBlock)
    assert [item.of for item in block.listed] == ["before", None, "trend"]
    assert [item.of for item in block.panels["Is it storage?"]] == ["before", "trend"]
    assert write_html(document).body.count('<p class="of">') == 4
    assert write_typst(document).body.count(', "trend"),') == 2
    abstract = [placed.block for placed in document.abstract]
    assert [plain_text(one.children) for one in abstract if isinstance(one, Paragraph)][:2] == [
        "before", "trend",
    ]  # fmt: skip
    assert [(len(one.items), one.start) for one in abstract if not isinstance(one, Paragraph)] == [
        (2, 1), (2, 3),
    ]  # fmt: skip


def test_the_only_findings_of_a_report_need_no_title_of_a_part(sample):
    document = read_document(in_parts(sample, before=findings(), trend="words"))
    (block,) = on_page(document, FindingsBlock)
    assert [item.of for item in block.items] == [None]
    assert len(document.abstract) == 2


def test_an_abstract_has_five_headlines_at_most(sample):
    document = read(sample, "# Results", findings(*[finding()] * 6))
    assert len(document.abstract[0].block.items) == 5


def test_an_abstract_of_the_authors_stays(sample):
    document = read_document(
        sample.notebook(sample.front(abstract="Our words.", sections={}), "# R", findings())
    )
    assert [plain_text(placed.block.children) for placed in document.abstract] == ["Our words."]


def test_the_first_of_several_charts_is_meant_by_their_name(sample):
    charts = [sample.curve(f"curve-{n}") for n in (1, 2)]
    document = read(sample, *charts, findings(finding(see="curve"), hero=("curve",)))
    assert [b.record.id for b in on_page(document, ChartBlock)] == ["curve-1"]


def test_of_the_charts_of_several_histories_a_finding_means_its_own(sample):
    """The busiest database is told first, and its chart may be the second; none is none."""
    charts = [
        replace(sample.curve(f"time-{n}"), caption=f"Sessions over time: {name}. Dark: the worst.")
        for n, name in enumerate(("BANK", "SHOP, id 7"), 1)
    ]
    items = [finding(see="time", of=name) for name in ("SHOP, id 7", "BANK", "SHOP", None)]
    document = read(sample, *charts, findings(*items, hero=("time",)))
    (block,) = on_page(document, FindingsBlock)
    seen = [[one.target for one in item.text if isinstance(one, See)] for item in block.items]
    assert seen == [["time-2"], ["time-1"], [], ["time-1"]]
    assert [b.record.id for b in on_page(document, ChartBlock)] == ["time-2"]


def test_of_several_charts_the_first_that_the_report_has_stands_with_them(sample):
    """What has no answer is passed over; where all have one, an unknown id is a mistake."""
    cells = Unanswered("the evidence has no curve"), sample.curve("b"), sample.curve("c")
    document = read(sample, *cells, findings(hero=("a", "b", "c")))
    assert [b.record.id for b in on_page(document, ChartBlock)] == ["b"]
    with pytest.raises(ReportError, match="no figure 'a'"):
        read(sample, *cells[1:], findings(hero=("a", "b", "c")))


def test_where_chart_and_table_stood_one_line_says_where_they_are(sample):
    values = sample.peak_table("t"), sample.curve("c")
    made = findings(hero=("c",), table="t")

    def rest(*cells):
        document = read(sample, *cells, made)
        body = document.blocks[document.page :]
        said = [p.block.children for p in body if isinstance(p.block, Paragraph)]
        return ["".join(getattr(c, "target", "") or c.text for c in line) for line in said[:3]]

    assert rest(*values)[0] == "t and c are shown with the findings."
    assert rest(values[0], "Words.", values[1]) == [
        "t is shown with the findings.", "Words.", "c is shown with the findings.",
    ]  # fmt: skip


def test_a_table_may_stand_with_them(sample):
    document = read(sample, sample.peak_table("t"), findings(table="t"))
    assert [b.record.id for b in on_page(document, TableBlock)] == ["t"]


def test_a_long_table_stays_where_it_is(sample):
    document = read(sample, sample.long_table("t"), findings(table="t"))
    assert not on_page(document, TableBlock)
    assert [p for p in document.blocks if isinstance(p.block, TableBlock)]


@pytest.mark.parametrize("named", ["hero", "table", "see"])
def test_a_name_that_is_not_in_the_report_is_an_error_that_names_the_cell(sample, named):
    items = [finding(see="cruve" if named == "see" else None)]
    more = {"hero": {"hero": ("cruve",)}, "table": {"table": "cruve"}}.get(named, {})
    made = findings(*items, **more)
    values = sample.curve("curve"), sample.peak_table("curve-table")
    with pytest.raises(ReportError, match=r"cell 3: findings: no .*'cruve'"):
        read(sample, *values, made)


def test_a_name_of_what_has_no_answer_is_left_out(sample):
    document = read(
        sample, Unanswered("the evidence has no curve"), findings(hero=("latency-curve",))
    )
    assert not on_page(document, ChartBlock)


def test_every_caution_that_touches_a_finding_or_its_verdict_stands_beside_them(sample):
    verdict = replace(sample.verdict(), cautions=(caution("not_steady", of="B"),))
    (block,) = on_page(read(sample, verdict, findings()), FindingsBlock)
    said = " ".join(block.care)
    assert "the peak may be higher" in said
    assert "Steady state was not attained before B" in said
    # "one repeat" is said by the finding itself
    assert "measured once" not in said


def test_what_the_cautions_advise_and_leave_open_is_said_once(sample):
    told = words_of(read(sample, findings(finding(), finding())))
    assert told["What to do"] == [
        "Measure at higher loads: the peak may lie beyond the highest one.",
        "Repeat each load point at least three times.",
    ]
    assert told["What this does not show"] == [
        "What happens above the highest load measured.",
        "How far results vary from run to run.",
    ]


def test_the_authors_words_stand_first_and_may_place_a_statement(sample):
    document = read(sample, sample.sentence("peak"), findings(),
                    what_to_do="Buy A: {{say peak}}", not_shown="How A ages.")  # fmt: skip
    (beside,) = on_page(document, Beside)
    do, not_shown = ([b for b in part if isinstance(b, Paragraph)] for part in beside.parts)
    assert plain_text(do[0].children).startswith("Buy A: ")
    assert plain_text(do[0].children) != "Buy A: "
    assert plain_text(not_shown[0].children) == "How A ages."


def test_an_answer_without_a_number_and_a_missing_purpose_are_not_shown(sample):
    lacking = finding(headline=None, text="The peak of B is not known: no I/O.", cautions=())
    purpose = Unanswered("one system has no load points", headline="Not compared")
    made = findings(finding(cautions=()), unanswered=(lacking,), cautions=())
    told = words_of(read(sample, purpose, made))
    assert told == {"What this does not show": [
        "The peak of B is not known: no I/O.", "Not compared: One system has no load points.",
    ]}  # fmt: skip


def test_verdict_and_cautions_leave_the_cover_to_the_findings(sample):
    verdict = sample.verdict()
    with_them = read(sample, verdict, findings())
    without = read(sample, verdict)
    assert with_them.has_findings
    assert write_typst(with_them).data["cautions"] == []
    assert not without.page
    assert "#first-page(" not in write_typst(without).body
    assert write_typst(with_them).body.count("#first-page(") == 1


def test_what_is_not_judged_says_so(sample):
    page = write_html(read(sample, findings())).body
    assert "No criteria were set, so nothing here is judged." in page
    judged = write_html(read(sample, sample.verdict(), findings())).body
    assert "No criteria were set" not in judged


def test_findings_that_were_changed_are_refused(sample):
    node = sample.notebook(findings())
    (output,) = (o for cell in node.cells for o in cell.get("outputs", []))
    output["data"][MIME["findings"]]["items"][0]["headline"] = "A gives 99,000 IOPS."
    with pytest.raises(ReportError, match="was changed after it was computed"):
        read_document(node)


def test_html_and_paper_say_the_same(sample, printer):
    node = sample.notebook(sample.front(abstract=None, sections={}), sample.verdict(), findings())
    text = re.sub(r"<[^>]+>", " ", write_html(read_document(node)).body)
    paper = PdfReader(io.BytesIO(export_pdf(node, charts=printer))).pages[1].extract_text()
    for said in ("A gives at least 26,400 IOPS.", "At iodepth 16, one repeat.", "Read with care"):
        assert said in " ".join(text.split())
        assert said in " ".join(paper.split())


def test_a_panel_answers_its_question_beside_the_findings(sample, printer):
    """Without a number of its own, and in place of the words that nothing is judged."""
    asked = finding(headline="Reads: a contributor.", text="They are 60%.", panel="Is it storage?")
    node = sample.notebook(sample.front(abstract=None, sections={}), findings(finding(), asked))
    body = write_html(read_document(node)).body
    listed, _, aside = body.partition("<aside>")
    assert listed.count("<strong>") == 1
    assert '<p class="asked">Is it storage?</p><p><strong>Reads: a contributor.' in aside
    paper = PdfReader(io.BytesIO(export_pdf(node, charts=printer))).pages[1].extract_text()
    words = " ".join(paper.split())
    for said in ("IS IT STORAGE?", "Reads: a contributor.", "They are 60%."):
        assert said in words
    assert "nothing here is judged" not in words


def test_a_number_of_a_finding_leads_to_what_that_finding_rests_on(sample):
    """Of two findings each names its own file; a number of both is not told of either exactly."""
    from perfkit.core.units import Format

    iops = Format("IOPS", decimals=0)
    items = [
        finding(headline=f"{name} gives {iops.show(value).text}.", text="One repeat.",
                printed=(iops.show(value),), lineage=Lineage((of,), (), traceable=True))
        for name, value, of in (("A", 26_400.0, FILES[0]), ("B", 31_000.0, FILES[1]))
    ]  # fmt: skip
    made = findings(*items, lineage=Lineage(FILES, (), traceable=True))
    page = write_html(read(sample, made))
    told = json.loads(page.data)
    assert re.findall(r'data-of="([\w-]+)" data-v="(\d+)"', page.body) == [
        ("findings-1", "26400"), ("findings-2", "31000"),
    ]  # fmt: skip
    for number, file in ((1, "a.json"), (2, "b.json")):
        behind = told["values"][f"findings-{number}"]["evidence"]
        assert [told["evidence"][at]["path"] for at in behind] == [file]
