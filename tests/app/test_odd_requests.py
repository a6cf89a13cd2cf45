"""Requests that no page of the app makes: each gets an answer, none a fault of the server."""

from concurrent.futures import ThreadPoolExecutor

import pytest

httpx = pytest.importorskip("httpx")

TOKEN = "a-token-of-the-tests"
CSV = b"x,y,site\n" + b"".join(
    b"%d.5,%d.25,%s\n" % (i, i * i % 7, b"ab"[i % 2 :][:1]) for i in range(40)
)
OUTSIDE = [
    "..%2f..%2fetc",
    "%2e%2e",
    "..%5c..",
    "0" * 5000,
    "a%00b",
    "%0d%0aX-Y:%201",
    "%ff",
    "con",
    ".",
]


@pytest.fixture
def inside(served):
    with httpx.Client(base_url=served, follow_redirects=True, timeout=120) as client:
        client.get(f"/?token={TOKEN}")
        yield client


@pytest.fixture
def table(inside):
    return inside.post("/tables", files={"file": ("d.csv", CSV)}).url.path


def alive(inside):
    return inside.get("/").status_code == 200


@pytest.mark.parametrize("name", OUTSIDE)
def test_an_id_never_leads_out(inside, name):
    for path in ("/tables/{}", "/fits/{}", "/folders/{}", "/static/{}", "/fits/{}/row"):
        answer = inside.get(path.format(name))
        assert 400 <= answer.status_code < 500, (path, answer.status_code)
        assert "root:" not in answer.text
    assert 400 <= inside.post(f"/tables/{name}/remove").status_code < 500
    assert alive(inside)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD", "BREW"])
def test_other_methods(inside, table, method):
    for path in ("/tables", table, f"{table}/fit", "/example"):
        assert inside.request(method, path).status_code < 500
    assert inside.get(table).status_code == 200


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"", "multipart/form-data"),
        (b"", "multipart/form-data; boundary="),
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (
            b"--x\r\nContent-Disposition: form-data\r\n\r\nv\r\n--x--\r\n",
            "multipart/form-data; boundary=x",
        ),
        (b"\xff" * 1000, "multipart/form-data; boundary=" + "b" * 70),
        (b'{"file": 1}', "application/json"),
        (b"file=text", "application/x-www-form-urlencoded"),
        (b"a=%ff%00&" * 5000, "application/x-www-form-urlencoded"),
        (b"x", ""),
        (b"x", "text/plain; charset=nothing"),
    ],
)
def test_contents_of_another_kind(inside, table, content, kind):
    for path in ("/tables", "/folders", f"{table}/fit"):
        answer = inside.post(path, content=content, headers={"content-type": kind})
        assert answer.status_code < 500, (path, answer.text[:300])
        assert "Traceback" not in answer.text
    assert alive(inside)


@pytest.mark.parametrize(
    "name",
    [
        "../../x.csv",
        "a/b.csv",
        "..",
        ".",
        "\x1b[2J.csv",
        "x" * 5000 + ".csv",
        "con.csv",
        "=1+1.csv",
    ],
)
def test_names_of_files_that_are_dropped(inside, name):
    answer = inside.post("/tables", files={"file": (name, CSV)})
    assert answer.status_code < 500
    assert alive(inside)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"domain": ""},
        {"domain": ["site", "site"]},
        {"domain": "site", "use-99999": "move"},
        {"domain": "site", "use-0": "wild", "use--1": "move", "use-x": "keep"},
        {"domain": "site", "link-0": "__import__('os')", "unit": "9" * 5000},
        {f"use-{i}": "move" for i in range(2000)},
    ],
)
def test_forms_that_no_page_sends(inside, table, form):
    answer = inside.post(f"{table}/fit", data=form)
    assert answer.status_code < 500, answer.text[:300]
    assert alive(inside)


def test_two_tabs_remove_one_table_at_once(inside, table):
    with ThreadPoolExecutor(4) as tabs:
        codes = [*tabs.map(lambda _: inside.post(f"{table}/remove").status_code, range(4))]
    assert 200 in codes
    assert max(codes) < 500
    assert inside.get(table).status_code == 404
