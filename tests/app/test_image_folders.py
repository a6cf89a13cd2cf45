"""Folders of images: what comes in, what is refused, and the pages; without a browser or a fit."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

httpx = pytest.importorskip("httpx")
pytest.importorskip("starlette")

from elsewhere.app import answers, folders  # noqa: E402
from elsewhere.app.fit_request import MODEL, REPORT  # noqa: E402
from elsewhere.app.image_fit_request import ImageFitRequest  # noqa: E402
from elsewhere.app.jobs import Jobs  # noqa: E402
from elsewhere.app.store import DONE  # noqa: E402
from elsewhere.cli.image_kind import ImageKind  # noqa: E402
from elsewhere.cli.kinds import Opened  # noqa: E402
from elsewhere.report.image_report import write_image_report  # noqa: E402
from elsewhere.trust.images import image_trust  # noqa: E402
from pixels import NAMES, draws, known  # noqa: E402

TOKEN = "a-token-of-the-tests"
NASTY = "<script>window.ran = 1<script>"


@pytest.fixture(scope="module")
def client(served):
    with httpx.Client(base_url=served, follow_redirects=True, timeout=60) as made:
        made.get(f"/?token={TOKEN}")
        yield made


def png(seed=0, size=8):
    buffer = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (size, size), np.uint8)
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def packed(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def upload(client, content, name="photos.zip"):
    return client.post("/folders", files={"file": (name, content)})


TWO = {f"photos/{d}/{i}.png": png(i) for d in ("north", "south") for i in range(3)}


def test_a_zip_file_is_described(client):
    extra = {"photos/.DS_Store": b"x", "__MACOSX/photos/a/._1.png": b"x", "photos/notes.txt": b"x"}
    page = upload(client, packed(TWO | extra))
    assert page.status_code == 200
    assert "6 images from 2 domains, 8 × 8 pixels." in page.text
    assert page.text.count("data:image/png;base64,") == 6
    assert "photos" in client.get("/").text
    assert client.post(f"{page.url.path}/remove").status_code == 200
    assert client.get(page.url.path).status_code == 404


def test_a_folder_chosen_in_the_browser_is_described(client):
    one = {f"mine/{NASTY}/cat/1.png": png(), "mine/south/dog/2.png": png(1, 12)}
    sent = [("files", (name, content)) for name, content in one.items()]
    page = client.post("/folders", files=sent)
    assert page.status_code == 200
    assert "2 images from 2 domains, 8 × 8 to 12 × 12 pixels." in page.text
    assert "<script>window" not in page.text
    assert "&lt;script&gt;window" in page.text


LINK = zipfile.ZipInfo("b/2.png")
LINK.external_attr = 0o120777 << 16


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"nonsense", "not a whole ZIP file"),
        (packed(TWO)[:-30], "not a whole ZIP file"),
        (packed({"notes.txt": b"x"}), "There is no image"),
        (packed({"a/1.png": png(), "a/2.png": png()}), "at least two; got 1"),
        (packed({"1.png": png(), "2.png": png()}), "must be in a folder named by its domain"),
        (packed({"a/b/c/1.png": png(), "b/1.png": png()}), "must be in a folder named by"),
        (packed({"a/1.png": b"no image", "b/1.png": png()}), "must be a whole image file"),
        (packed({"../a/1.png": png(), "b/1.png": png()}), "is not a path within a folder"),
        (packed({"/etc/1.png": png(), "b/1.png": png()}), "is not a path within a folder"),
        (packed({"a\\..\\..\\1.png": png(), "b/1.png": png()}), "is not a path within a"),
        (packed({"C:/a/1.png": png(), "b/1.png": png()}), "is not a path within a folder"),
        (packed({"a/1.png": png(), "A/1.PNG": png(), "b/1.png": png()}), "same name"),
        (packed({"a/1.png": png(), LINK: b"/etc/passwd"}), "is a link"),
    ],
)
def test_a_bad_archive_is_an_error_on_the_page(client, content, words):
    before = client.get("/").text
    answer = upload(client, content)
    assert answer.status_code == 400
    assert words in answer.text
    assert "/tmp/" not in answer.text
    assert client.get("/").text == before


def test_bombs_are_bounded_whatever_they_claim(client, monkeypatch):
    bomb = packed({"a/1.png": bytes(3 << 20), "b/1.png": png()})
    assert len(bomb) < 20_000
    monkeypatch.setattr(folders, "MOST_BYTES", 1 << 20)
    assert "at most 0 GB in all" in upload(client, bomb).text
    lying = bytearray(bomb)
    for at in (22, bomb.rfind(b"PK\1\2", 0, bomb.rfind(b"PK\1\2")) + 24):
        lying[at : at + 4] = (1000).to_bytes(4, "little")  # the size that the entry claims
    assert upload(client, bytes(lying)).status_code == 400
    monkeypatch.setattr(folders, "MOST_FILES", 5)
    assert "at most 5 images; got 6" in upload(client, packed(TWO)).text
    monkeypatch.setattr(folders, "MOST_LISTED", 100)
    assert "at most 5 files" in upload(client, packed(TWO)).text


def test_a_picture_that_unpacks_to_a_wall_is_refused(client, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    answer = upload(client, packed({"a/1.png": png(0, 16), "b/1.png": png()}))
    assert answer.status_code == 400
    assert "1.png" in answer.text


def test_numbers_out_of_range_are_refused(client):
    page = upload(client, packed(TWO))
    for sent in ({"size": "9999", "steps": "20"}, {"size": "8", "steps": "-1"}, {}):
        assert client.post(f"{page.url.path}/fit", data=sent).status_code == 400
    client.post(f"{page.url.path}/remove")


def fake(model, images, labels):
    """A job that puts a model that was made before in the place of a fit."""

    def start(self, name, commands, shares):
        place = self.store.place("fits", name)
        (place / MODEL).write_bytes(b"a model")
        trust = image_trust(model, images, labels)
        write_image_report(model, images, labels, place / REPORT, trust=trust)
        (place / "fit.json").write_text(json.dumps({"domains": list(NAMES)}))
        (place / "report.json").write_text(json.dumps(trust.to_dict()))
        self.store.change("fits", name, status=DONE, fraction=1.0, text="", took=1.0)

    return start


def test_from_a_folder_to_answers_in_a_zip_file(client, monkeypatch):
    images, labels = draws(6)
    model = known()
    monkeypatch.setattr(Jobs, "start", fake(model, images, labels))
    monkeypatch.setattr(answers, "model_at", lambda path: Opened(ImageKind(), model, {}))
    files = {}
    for i, (image, label) in enumerate(zip(images, labels, strict=True)):
        buffer = io.BytesIO()
        Image.fromarray((255 * image[..., 0]).astype(np.uint8)).save(buffer, "PNG")
        files[f"lamps/{label}/{i}.png"] = buffer.getvalue()
    page = upload(client, packed(files), "lamps.zip")
    done = client.post(f"{page.url.path}/fit", data={"size": "8", "steps": "20", "far": "1"})
    assert done.status_code == 200
    text = done.text
    assert text.index("Should I use these answers?") < text.index("How far to trust it")
    assert "elsewhere fit lamps --out model.elsewhere --size 8 --steps 20 --far" in text
    assert "ImageDomainCounterfactual(size=8, steps=20, flow=FAR)" in text
    got = client.get(f"{done.url.path}/answers", params={"to": "bright"})
    assert "lamps-as-if-from-bright.zip" in got.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(got.content)) as archive:
        names = [name for name in archive.namelist() if name.endswith(".png")]
    assert sorted(names) == sorted(name.removeprefix("lamps/") for name in files)
    assert client.get(f"{done.url.path}/model").status_code == 200
    assert client.get(f"{done.url.path}/data").status_code == 404
    assert (
        client.get(f"{done.url.path}/row", params={"row": "1", "to": "bright"}).status_code == 400
    )
    assert "lamps" in client.get("/").text


def test_the_python_it_shows_is_python():
    for asked in (ImageFitRequest("x", "p", 8, 20), ImageFitRequest("x", "p", 8, 20, True, True)):
        compile(asked.python("north"), "shown", "exec")
        assert asked.commands(Path("p"))["fit"][:2] == ["fit", "p"]
