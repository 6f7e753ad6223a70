"""The command lines of RampRun.pl and dgen.pl, as typed and as printed."""

from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import perfkit as pk
from perfkit.core.errors import ParseError
from perfkit.sources.genio.commands import commands_in, parse_command, target

RAMP = (
    "./RampRun.pl --miniops 75000 --maxiops 110000 --background --disable-warmup --runtime 30 "
    "--wijfile /epic/epicjrn/GENIO.WIJ --numruns 10 --system epic-rhel1 --comment Ramp 75-110k"
)
WANTED = {
    "tool": "RampRun.pl", "min_iops": 75000.0, "max_iops": 110000.0, "background": True,
    "warmup_disabled": True, "runtime": 30.0, "wij_file": "/epic/epicjrn/GENIO.WIJ",
    "num_runs": 10, "server": "epic-rhel1", "comment": "Ramp 75-110k",
}  # fmt: skip


def said(text):
    """What a command says: its tool, the parameters that it gives, and unknown options."""
    command = parse_command(text)
    given = {name: value for name, value in asdict(command.parameters).items() if value is not None}
    return {"tool": command.tool, **given} | {
        option.name: option.value for option in command.options if not option.known
    }


@pytest.mark.parametrize(
    "text",
    [
        RAMP,
        RAMP.replace("--miniops", "-miniops"),
        RAMP.replace("--miniops", "\u2013miniops"),
        RAMP.replace("--", "-"),
        RAMP.replace("--", "\u2014"),
        RAMP.replace("--", "\u2013\u2013"),
        RAMP.replace("Ramp 75-110k", '"Ramp 75-110k"'),
        RAMP.replace("Ramp 75-110k", "'Ramp 75-110k'"),
        RAMP.replace("Ramp 75-110k", "\u201cRamp 75-110k\u201d"),
        RAMP.replace("--miniops 75000", "--miniops=75,000"),
        RAMP.replace("75000", "75k"),
        f"[root@epic-rhel1 genio]# {RAMP}",
        f"$ perl /epic/genio/{RAMP.removeprefix('./')}",
        f"`{RAMP}`",
        f"nohup {RAMP} > ramp.log 2>&1 &",
        RAMP.replace(" --comment Ramp 75-110k", "").replace(
            "--runtime", "--comment Ramp 75-110k --runtime"
        ),
    ],
)
def test_one_dash_two_en_dash_quotes_and_prompts(text):
    assert said(text) == WANTED


def test_dgen_and_its_default():
    """dgen.pl fills 95% where it is not told (TR-4784, section 4.1)."""
    given = said('./dgen.pl --directory "/epic" --jobs 2 --quiet --pctfull 20')
    assert given == {
        "tool": "dgen.pl", "directory": "/epic", "jobs": 2, "quiet": True, "fill_ratio": 0.2,
        "fill_origin": "printed",
    }  # fmt: skip
    default = said("./Dgen.pl --directory /epic --jobs 2")
    assert (default["fill_ratio"], default["fill_origin"]) == (0.95, "default")


def test_unknown_options_are_kept():
    found = said(f"{RAMP.replace('--background', '--threads 8 --verbose')}")
    assert (found["threads"], found["verbose"], found["comment"]) == ("8", None, "Ramp 75-110k")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ls -l", "no command line of RampRun.pl or dgen.pl"),
        (RAMP.replace("75000", "many"), "--miniops 'many': not a number"),
        (RAMP.replace("75000", "75,00"), "--miniops '75,00': not a number"),
        (RAMP.replace("--numruns 10", "--numruns 10.5"), "--numruns '10.5': not a whole number"),
        (RAMP.replace("--numruns 10", "--numruns"), "--numruns of RampRun.pl has no value"),
        (f"{RAMP} --miniops 1", "--miniops is given twice, with different values"),
        (RAMP.replace("--numruns 10", "--numruns 10 11"), "'11' belongs to no option"),
    ],
)
def test_what_is_wrong_in_a_command_is_an_error(text, message):
    with pytest.raises(ParseError) as caught:
        parse_command(text, "x", 7)
    assert str(caught.value).startswith("x:7: ")
    assert message in str(caught.value)


def test_commands_are_found_in_a_text_with_their_lines():
    text = f"# how it was run\n./dgen.pl --directory /epic --jobs 2\n\n{RAMP[:57]}\\\n{RAMP[57:]}\n"
    found = commands_in(text, "notes.txt")
    assert [(item.tool, item.line) for item in found] == [("dgen.pl", 2), ("RampRun.pl", 4)]
    assert found[1].parameters.comment == "Ramp 75-110k"


def test_a_document_s_commands_all_parse_and_its_prose_is_none():
    """The tools' names in prose are not commands; three ramps and a dgen.pl are, as printed."""
    ramps = [RAMP.replace("rhel1", f"rhel{number}") for number in (1, 2, 3)]
    text = "\n".join([
        "4.1 Data", "dgen.pl generates the data; it writes 95% of the disk.",
        "./dgen.pl --directory /epic --jobs 2", "4.2 Load", "RampRun.pl raises the load:",
        ramps[0], ramps[1].replace("--", "\u2013"), ramps[2].replace("--", "-"),
        "All RampRun.pl runs took 30 minutes.",
    ])  # fmt: skip
    found = commands_in(text, "document.txt")
    assert [(item.line, item.parameters.server) for item in found] == [
        (3, None), (6, "epic-rhel1"), (7, "epic-rhel2"), (8, "epic-rhel3"),
    ]  # fmt: skip
    assert {item.parameters.num_runs for item in found[1:]} == {10}


def test_the_web_version_s_commands_all_parse(seeds):
    """All eight of TR-4784's web version, three of them with an en dash."""
    found = commands_in((seeds / "001_3dbb4fac093afa7e.txt").read_text(), "001")
    ramps = [item for item in found if item.tool == "RampRun.pl"]
    assert [len(found), len(ramps)] == [8, 5]
    assert {item.parameters.num_runs for item in ramps} == {10}
    assert {item.parameters.server for item in ramps} == {"epic-rhel1", "epic-rhel2", "epic-rhel3"}


def test_a_procedure_is_read_as_commands(tmp_path):
    path = tmp_path / "procedure.txt"
    path.write_text(f"First the data:\n./dgen.pl --directory /epic --jobs 2\nThen:\n{RAMP}\n")
    reading = pk.read(path)
    assert reading.evidence.kind == "genio-commands"
    assert reading.genio_commands.frame.select("tool", "line", "num_runs").rows() == [
        ("dgen.pl", 2, None), ("RampRun.pl", 4, 10),
    ]  # fmt: skip
    path.write_text("nothing of the kind\n")
    with pytest.raises(ParseError, match=r"no command line of RampRun\.pl or dgen\.pl in it"):
        pk.read(path, kind="genio-commands")


@given(
    low=st.integers(1, 10**6), more=st.integers(0, 10**6), runs=st.integers(1, 200),
)  # fmt: skip
def test_the_ramp_ends_at_the_maximum_and_rises_evenly(low, more, runs):
    steps = [target(low, low + more, runs, i) for i in range(1, runs + 1)]
    assert steps[-1] == pytest.approx(low + more)
    assert steps[0] == pytest.approx(low + more / runs)
    assert steps == sorted(steps)


def test_lines_of_commands_count_from_1_or_from_the_line_given():
    text = "nothing\nRampRun.pl --miniops 1\n"
    assert [found.line for found in commands_in(text, "p")] == [2]
    assert [found.line for found in commands_in(text, "p", first=10)] == [11]
