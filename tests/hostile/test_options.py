"""What is asked for twice, or cannot be, is one line before any work, with the remedy."""

import os
import socket

import pytest

HEAD = "a,b,site\n"
ROWS = [f"{0.37 * i * i % 7:.3f},{1.7 * i % 5:.3f},{'ns'[i % 2]}" for i in range(40)]
TEXT = HEAD + "\n".join(ROWS) + "\n"


def fit(run, folder, text, *more, domain="site", name="d.csv"):
    (folder / name).write_text(text)
    out = "--mixing", "moments", "--out", folder / "a.model", "--force"
    return run("fit", folder / name, "--domain", domain, *out, *more)


def one_line(answer, code, message):
    assert (answer.code, len(answer.err.splitlines())) == (code, 1), answer
    assert message in answer.err
    assert len(answer.err) < 1000


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--columns", "a,a"), "--columns must name each column once; got ['a'] twice"),
        (("--keep", "a,a"), "--keep must name each column once; got ['a'] twice"),
        (("--links", "a=integer,a=identity"), "--links must name each column once"),
        (("--sum", "a = b", "--sum", "a = b"), "--sum must give 'a' once"),
        (("--columns", ",".join(f"zz{i}" for i in range(9000))), "d.csv has no column ['zz0'"),
        (("--learn-on", "a > 0 #" + "x" * 10_000), "a condition must be like"),
        (("--learn-on", "(" * 5000 + "a > 0" + ")" * 5000), "a condition must be like"),
    ],
)
def test_what_is_asked_twice_or_at_length(run, tmp_path, asked, message):
    one_line(fit(run, tmp_path, TEXT, *asked), 1, message)


def test_a_column_of_domains_named_twice(run, tmp_path):
    answer = fit(run, tmp_path, TEXT, domain="site,site")
    one_line(answer, 1, "--domain must name each column once; got ['site'] twice")


CODE = [
    "__import__('os').system('touch {}')",
    "a > 0 and open('{}', 'w')",
    "@os.system('touch {}')",
    "().__class__.__bases__[0].__subclasses__()",
    "a < 9**9**9**9",
    "[a for a in site]",
    "f'{{a}}' == 'x'",
]


@pytest.mark.parametrize("condition", CODE)
def test_a_condition_is_never_code(run, tmp_path, condition):
    asked = condition.format(tmp_path / "made")
    one_line(fit(run, tmp_path, TEXT, "--learn-on", asked), 1, "a condition must be like")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (("--seed", "-5"), "Invalid value for '--seed'"),
        (("--seed", "9" * 30), "Invalid value for '--seed'"),
        (("--most-rows", "0"), "Invalid value for '--most-rows'"),
        (("--no-such-option",), "No such option"),
    ],
)
def test_an_invalid_command_line_is_one_line(run, tmp_path, asked, message):
    answer = fit(run, tmp_path, TEXT, *asked)
    one_line(answer, 2, message)
    assert "See elsewhere fit --help." in answer.err


NOTATIONS = {
    "units": "{:.2f} mg",
    "limits of detection": "<{:.2f}",
    "exponents written with D": "{:.2f}D+01",
    "parentheses for a minus": "({:.2f})",
    "a spreadsheet's signs for text": "'{:.2f}",
    "uncertainties": "{:.2f} ± 0.1",
    "signs for about": "~{:.2f}",
}


@pytest.mark.parametrize("what", NOTATIONS)
def test_numbers_in_more_notations_are_not_lost(run, tmp_path, what):
    """They would be carried through unchanged, under the label of another domain."""
    odd = [f"{row},{NOTATIONS[what].format(0.3 * i)}" for i, row in enumerate(ROWS)]
    text = "\n".join(["a,b,site,odd", *odd]) + "\n"
    one_line(fit(run, tmp_path, text), 1, f"column 'odd' of {tmp_path}/d.csv holds numbers with")


def test_words_that_begin_with_a_number_are_carried(run, tmp_path):
    """Few doses, and names of wells, are no amounts."""
    wells = [f"{row},{1 + i % 3} mg,{i}{'ABCDEFGH'[i % 8]}" for i, row in enumerate(ROWS)]
    answer = fit(run, tmp_path, "\n".join(["a,b,site,dose,well", *wells]) + "\n")
    assert answer.code == 0, answer.err
    assert "2 carried (no numbers): dose, well" in answer.err


@pytest.mark.parametrize(("name", "sign", "is_"), [("d.csv", "\t", "tsv"), ("d.tsv", ",", "csv")])
def test_a_table_with_the_other_suffix(run, tmp_path, name, sign, is_):
    answer = fit(run, tmp_path, TEXT.replace(",", sign), name=name)
    one_line(answer, 1, f"let its name end in .{is_}")


def test_a_quote_that_never_ends_does_not_show_the_file(run, tmp_path):
    answer = fit(run, tmp_path, '"' + TEXT * 50, domain="site")
    one_line(answer, 1, "has no column ['site']")


def test_results_below_a_file_are_refused_before_the_work(run, tmp_path):
    (tmp_path / "file").write_text("kept")
    answer = run("reproduce", "S9", "--out", tmp_path / "file")
    one_line(answer, 3, "is not a directory")


def test_a_column_without_values_in_a_new_domain_is_said(run, tmp_path):
    assert fit(run, tmp_path, TEXT).code == 0
    (tmp_path / "new.csv").write_text(HEAD + ",1.5,w\n,2.5,w\n")
    answer = run("add-domain", tmp_path / "a.model", tmp_path / "new.csv", "--out", os.devnull)
    one_line(answer, 1, "column 'a' of")
    assert "it has no value" in answer.err


def test_columns_in_another_order_answer_alike(run, tmp_path):
    assert fit(run, tmp_path, TEXT).code == 0
    turned = [",".join(row.split(",")[i] for i in (2, 1, 0)) for row in ROWS]
    (tmp_path / "t.csv").write_text("\n".join(["site,b,a", *turned]) + "\n")
    plain = run(
        "counterfactual", tmp_path / "a.model", tmp_path / "d.csv", "--to", "n", "--out", "-"
    )
    moved = run(
        "counterfactual", tmp_path / "a.model", tmp_path / "t.csv", "--to", "n", "--out", "-"
    )
    first, second = (answer.out.splitlines() for answer in (plain, moved))
    assert second[0] == "site,b,a"
    assert [line.split(",")[::-1] for line in second] == [line.split(",") for line in first]


@pytest.mark.parametrize("port", ["99999", "-1", "x"])
def test_a_port_that_does_not_exist(run, port):
    one_line(run("app", "--port", port, "--no-browser"), 2, "Invalid value for '--port'")


def test_an_address_that_cannot_be_had_is_named(run):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        answer = run("app", "--port", port, "--no-browser")
    one_line(answer, 3, f"127.0.0.1:{port}: Address already in use")
