"""What is wrong with a command line is said in one line, with exit code 2."""

import pytest

from hopwright._cli.arguments import dispatch
from hopwright._cli.commands import parse_overrides
from hopwright._io.errors import InputError


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("rnu", "no command called 'rnu'; did you mean 'run'?"),
        (
            "frobnicate",
            "no command called 'frobnicate'; there are: run, compare, sweep, adapt, judge, plot, ",
        ),
        ("simulate", "no command called 'simulate'; did you mean 'run'?"),
        ("run a.toml --format json", "unknown option '--format'; did you mean '--json'?"),
        ("sweep --vary k=1 --best a.toml", "--best takes a result: write a.toml before --best"),
        ("--colour", "unknown option '--colour'; there are: --help, --version"),
        ("", "name a command"),
        ("--out a run a.toml", "--out: options come after the command: hopwright run ... --out"),
        ("--json run a.toml", "--json: options come after the command: hopwright run ... --json"),
        ("--out a", "--out: options come after the command: hopwright COMMAND ... --out"),
        ("run", "required: FILE"),
        ("run a.toml b.toml", "'b.toml' is one argument too many"),
        ("explain a --against=", "--against: the name is empty"),
        ("run a.toml seed=2", "'seed=2' is one argument too many; to set a key, say --set seed=2"),
        ("run a.toml --set mac.cw_min 3", "--set mac.cw_min: = is missing; write it as KEY=VALUE"),
        ("compare a.toml --vary k a,b", "--vary k: = is missing; write it as KEY=a,b,c"),
        ("sweep a.toml --vary k a,b --out c", "--vary k: = is missing; write it as KEY=a,b,c"),
        ("compare a.toml --vary k=a, b", "--vary k=a,: a blank stands before 'b'; write KEY=a,b,c"),
        ("compare a.toml --vary k= a,b", "--vary k=: a blank stands before 'a,b'; write KEY=a,b,c"),
        ("run a.toml --sed 3", "unknown option '--sed'; did you mean '--seed'?"),
        ("run a.toml --jsno", "did you mean '--json'?"),
        ("run -- a.toml --json", "--json: options come before --"),
        ("run a.toml --json=1", "--json: takes no value, found '1' ('hopwright run --help' says"),
        ("run a.toml --out", "--out: a value is missing"),
        ("run a.toml --out=", "argument --out: the name is empty"),
        ("sweep a.toml --out a --until -2%", "--until: a value is missing; write one that begins"),
        ("sweep a.toml --out a --until=-2%", "'-2%' is not a percentage between 0 and 100"),
        ("topology a.toml --step abc", "--step: 'abc' is not a number"),
        ("plot a.toml --at abc", "--at: 'abc' is not a number"),
        ("control nosuchthing {}", "there is no emulation called 'nosuchthing'; name one that"),
        (
            "sweep a.toml --vary topology.hops,flows.to=(3),(4,5)",
            "(3) has 1 value for 2 keys",
        ),
        ("run a.toml --seed x", "--seed: 'x' is not a whole number"),
        ("run a.toml --seed 1.5", "--seed: '1.5' is not a whole number"),
        ("run a.toml --seed -1", "--seed: -1 is not between 0 and"),
        ("run a.toml --runs 0", "--runs: 0 is not between 1 and"),
        ("run a.toml --jobs -2", "--jobs: -2 is not between 1 and"),
        ("run a.toml --overwrite", "--overwrite needs --out"),
        ("check a.toml --json", "unknown option '--json'"),
        ("sweep", "name a scenario, or folders with --merge"),
        ("sweep a.toml --vary k=1 --resume", "--resume needs --out"),
        ("sweep a.toml --vary k=1 --shard 1/2", "--shard needs --out"),
        ("sweep --merge a b", "--merge needs --out"),
        ("sweep --out a", "name a scenario, or folders with --merge"),
        ("sweep a.toml --out a", "name at least one key with --vary"),
        ("sweep a.toml --out a --vary hops", "write it as KEY=a,b,c"),
        ("sweep a.toml --out a --vary k=1 --design lsh", "did you mean 'lhs'?"),
        ("sweep a.toml --out a --vary k=1 --points 3", "is only for 'random' and 'lhs'"),
        ("sweep a.toml --out a --until 2", "'2' is not a percentage"),
        ("sweep a.toml --out a --until 100%", "not a percentage between 0 and 100"),
        ("sweep a.toml --out a --shard 0/4", "not i/n with i from 1 to n"),
        ("sweep a.toml --out a --shard 5/4", "not i/n with i from 1 to n"),
        ("sweep a.toml --merge a b --out c", "takes folders and --out, no scenario"),
        ("sweep --merge a b --out c --resume", "--merge puts all together at once: omit --resume"),
        ("sweep a.toml --reusme", "did you mean '--resume'?"),
        ("judge", "required: FILE"),
        ("adapt", "required: FILE"),
        ("adapt a.toml --quik", "did you mean '--quick'?"),
        ("adapt a.toml --resume", "--resume needs --out"),
        (
            "adapt a.toml --out d --resume --overwrite",
            "--resume and --overwrite: use only one of them",
        ),
        ("adapt a.toml --on here", "here: is not a place to run"),
        ("adapt a.toml", "a.toml: does not exist"),
        ("judge a.toml --respnse spare", "did you mean '--response'?"),
        ("judge a.toml --overwrite", "--overwrite needs --out"),
        ("judge a.toml --runs 0", "--runs: 0 is not between 1 and"),
        ("judge a.toml --error-probabilities 1", "--error-probabilities needs --errors"),
        ("judge a.toml --errors --error-probabilities 0", "'0' is not above 0 and at most 1"),
        ("judge a.toml --errors --error-probabilities x", "'x' is not above 0 and at most 1"),
        ("judge a.toml --errors --error-probabilities ,", "write it as 1,0.25"),
        ("judge a.toml", "a.toml: does not exist"),
        ("judge a.toml,hops", "'hops' is not a setting; write FILE,KEY=VALUE"),
        ("topology", "required: FILE"),
        ("topology a.toml --stpe 2", "did you mean '--step'?"),
        ("topology a.toml --runs 0", "--runs: 0 is not between 1 and"),
        ("schema --markdwn", "did you mean '--markdown'?"),
        ("protocols newremo", "no protocol called 'newremo'; did you mean 'newreno'?"),
    ],
)
def test_wrong_arguments(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError) as wrong:
        dispatch(line.split())
    assert message in str(wrong.value)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "command", ["run", "check", "explain", "plot", "view", "topology", "sweep"]
)
def test_the_name_of_a_file_is_not_empty(command: str) -> None:
    with pytest.raises(InputError, match=r"argument (FILE|DIR): the name is empty"):
        dispatch([command, ""])


@pytest.mark.parametrize("file", ["", ",topology.hops=4"])
def test_the_name_of_a_compared_scenario_is_not_empty(file: str) -> None:
    with pytest.raises(InputError, match="the name of a scenario is empty"):
        dispatch(["compare", file, "--vary", "topology.hops=3,4", "--baseline", "3"])


@pytest.mark.parametrize("text", ["hops", "=4", " =4", ""])
def test_an_override_is_key_and_value(text: str) -> None:
    with pytest.raises(InputError, match="KEY=VALUE"):
        parse_overrides([text])


def test_overrides_keep_their_order_and_further_equals_signs() -> None:
    assert parse_overrides(["a.b=1", "c = x=y", "a.b="]) == [
        ("a.b", "1"),
        ("c", "x=y"),
        ("a.b", ""),
    ]
