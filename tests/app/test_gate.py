"""Who may come in, and what bad requests get: without a browser and without a fit."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

httpx = pytest.importorskip("httpx")


TOKEN = "a-token-of-the-tests"
NASTY = "<script>window.ran = 1</script>"


@pytest.fixture
def client(served):
    with httpx.Client(base_url=served, follow_redirects=True, timeout=60) as made:
        yield made


@pytest.fixture
def inside(client):
    client.get(f"/?token={TOKEN}")
    return client


def upload(client, name, content):
    return client.post("/tables", files={"file": (name, content)})


def csv(frame):
    return frame.to_csv(index=False).encode()


TABLE = pd.DataFrame({"x": range(0, 40, 2), "y": [0.5, 1.5] * 10, "site": ["a", "b"] * 10})


@pytest.mark.parametrize("query", ["", "?token=", "?token=wrong", f"?token={TOKEN}x"])
def test_without_the_token_nobody_comes_in(client, query):
    for path in ("/", "/static/app.js", "/fits/0123456789ab"):
        assert client.get(path + query).status_code == 403
    assert client.post("/example" + query).status_code == 403


def test_the_token_is_shown_once_and_then_kept_in_a_cookie(client):
    answer = client.get("/", params={"token": TOKEN}, follow_redirects=False)
    assert answer.status_code == 303
    assert TOKEN not in answer.headers["location"]
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    home = client.get("/")
    assert home.status_code == 200
    assert "default-src 'none'" in home.headers["content-security-policy"]
    assert TOKEN not in home.text


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example:8000"}, {"origin": "http://evil.example"}, {"origin": "null"}],
)
def test_other_names_and_other_sites_are_refused(inside, headers):
    assert inside.post("/example", headers=headers).status_code == 403


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pdf", b"x", "must end in one of .csv"),
        ("a.csv", b"", "a.csv"),
        ("a.csv", b"x,y\n", "holds no rows"),
        ("a.csv", b"x,x\n1,2\n", "duplicate column names"),
        ("a.csv", b"\xff\xfe\x00", "a.csv"),
        ("a.parquet", b"nonsense", "cannot be read as parquet"),
        ("a.xlsx", b"nonsense", "cannot be read as Excel"),
    ],
)
def test_a_bad_file_is_an_error_on_the_page_and_the_app_lives(inside, name, content, words):
    answer = upload(inside, name, content)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert words in answer.text
    assert "/tmp/" not in answer.text
    assert inside.get("/").status_code == 200
    assert "Tables" not in inside.get("/").text


def test_a_table_is_described(inside):
    page = upload(inside, "my table.csv", csv(TABLE))
    assert page.status_code == 200
    assert "my_table.csv" in page.text
    assert "20 rows and 3 columns" in page.text
    assert "no gaps" in page.text
    assert "two values" in page.text
    assert "whole numbers, 0 or more (0 to 38)" in page.text
    assert '<option value="site" selected>' in page.text


def test_excel_and_gaps(inside):
    pytest.importorskip("openpyxl")
    file = io.BytesIO()
    TABLE.assign(z=[None, *range(19)]).to_excel(file, index=False)
    page = upload(inside, "sheet.xlsx", file.getvalue())
    assert "sheet.csv" in page.text
    assert "Leave out rows with gaps (1 empty cell)" in page.text


def test_a_wide_table_is_described_in_part(inside):
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((20, 500)).round(3)).rename(columns="gene{}".format)
    page = upload(inside, "wide.csv", csv(wide.assign(site=["a", "b"] * 10)))
    assert page.text.count('<select name="use-') == 400
    assert "376 more columns" in page.text
    assert "100 further columns are treated as the first" in page.text


def test_a_workbook_that_is_large_unpacked_is_refused(tmp_path, monkeypatch):
    from elsewhere.app import tables

    monkeypatch.setattr(tables, "MOST_UNPACKED", 1 << 20)
    with zipfile.ZipFile(tmp_path / "upload", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("xl/worksheets/sheet1.xml", bytes(2 << 20))
    with pytest.raises(ValueError, match=r"bomb.xlsx must have at most 1 MB unpacked; it has 2"):
        tables.keep_table(tmp_path / "upload", "bomb.xlsx")


def test_what_a_stranger_names_is_text(inside, stranger):
    page = upload(inside, f"{NASTY}.csv", csv(stranger))
    assert page.status_code == 200
    assert "<script>window" not in page.text
    assert "dose &lt;script&gt;" in page.text
    assert "a&lt;script&gt;" in page.text


def test_no_column_of_domains(inside):
    page = upload(inside, "a.csv", csv(TABLE[["x"]]))
    assert "No column of this table can say where a row came from" in page.text


def test_nothing_to_move_and_things_that_are_not_there(inside):
    page = upload(inside, "a.csv", csv(TABLE))
    answer = inside.post(f"{page.url.path}/fit", data={"domain": "site", "use-0": "leave"})
    assert answer.status_code == 400
    assert "Choose at least one column to move" in answer.text
    answer = inside.post(f"{page.url.path}/fit", data={"domain": "nowhere"})
    assert answer.status_code == 400
    assert "no column &#x27;nowhere&#x27;" in answer.text
    for path in ("/tables/0123456789ab", "/fits/..%2f..%2fetc", "/nothing", "/static/x"):
        assert inside.get(path).status_code == 404
    assert inside.get("/compare").status_code == 400


def test_a_table_can_be_removed(inside):
    page = upload(inside, "gone.csv", csv(TABLE))
    assert "gone.csv" in inside.get("/").text
    assert "gone.csv" not in inside.post(f"{page.url.path}/remove").text
    assert inside.get(page.url.path).status_code == 404
