"""The command line of `fly-llc`: kinds of output, repeated options, and what contradicts itself."""

from __future__ import annotations

import pytest

from flydsl.base.errors import SettingError
from flydsl.tools.llc.command_line import read_options


def test_streams_and_assembly_are_the_defaults() -> None:
    options = read_options([])
    assert (options.input, options.output, options.file_type, options.opt_level) == ("-", "-", "asm", 2)
    assert (options.plugins, options.machine_passes, options.print_after, options.ir_pipeline) == ((), (), (), "")
    assert not options.link


@pytest.mark.parametrize(
    ("output", "kind"),
    [("a.s", "asm"), ("a.o", "obj"), ("a.ll", "llvm"), ("a.bc", "bitcode"), ("a", "asm"), ("a.b/c", "asm")],
)
def test_the_output_is_what_its_suffix_says(output: str, kind: str) -> None:
    assert read_options(["-o", output]).file_type == kind
    assert read_options(["-o", output, "--filetype", "obj"]).file_type == "obj"


def test_options_that_may_be_repeated_keep_their_order() -> None:
    passes, plugins = ["--pass", "b@pre-ra", "--pass", "a@pre-emit"], ["--load", "p.so", "--load", "q.so"]
    options = read_options([*passes, "k.ll", *plugins, "--print-after", "x", "--print-after", "y"])
    assert options.machine_passes == ("b@pre-ra", "a@pre-emit")
    assert (options.plugins, options.print_after) == (("p.so", "q.so"), ("x", "y"))


def test_a_linked_image_is_made_of_an_object() -> None:
    options = read_options(["--link", "--link-arg=--no-undefined", "-o", "k.hsaco"])
    assert (options.link, options.file_type, options.link_arguments) == (True, "obj", ("--no-undefined",))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--link --filetype=asm", "--link makes an image of an object: leave out --filetype=asm"),
        ("--link-arg=-x", "--link-arg is for --link"),
        ("--pass a@pre-ra -o k.ll", "--pass is a matter of code generation, and the output 'llvm' comes before it"),
        ("--print-after pre-ra -o k.bc", "--print-after is a matter of code generation"),
    ],
)
def test_contradictions_are_errors(line: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        read_options(line.split())


@pytest.mark.parametrize("line", ["-O 4", "--filetype=elf", "a.ll b.ll", "--nonsense"])
def test_malformed_lines_end_the_program_with_the_usage(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        read_options(line.split())
    assert "usage: fly-llc" in capsys.readouterr().err


@pytest.mark.parametrize("line", ["-O3", "-O 3"])
def test_levels_are_written_as_for_compilers(line: str) -> None:
    assert read_options(line.split()).opt_level == 3
