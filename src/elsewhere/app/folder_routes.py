"""The addresses of folders of images: take one in, show it, fit it."""

from collections.abc import Callable
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from elsewhere.app import folder_pages, folders
from elsewhere.app.image_fit_request import ImageFitRequest
from elsewhere.app.jobs import Jobs
from elsewhere.app.store import RUNNING, Store
from elsewhere.app.tables import plain_name

KIND = "folders"
Refuse = Callable[[str, int], Response]


class FolderRoutes:
    """What the app does with folders of images; `refuse` shows the first page and the error."""

    def __init__(self, store: Store, jobs: Jobs, refuse: Refuse):
        self.store, self.jobs, self.refuse = store, jobs, refuse

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/folders", self.upload, methods=["POST"]),
            Route("/folders/{id}", self.shown),
            Route("/folders/{id}/fit", self.fit, methods=["POST"]),
        ]

    async def upload(self, request: Request) -> Response:
        """Keep the images of a ZIP file, or of a folder that was chosen."""
        length = request.headers.get("content-length", "")
        if not length.isdigit() or int(length) > folders.MOST_BYTES:
            return self.refuse(f"At most {folders.MOST_BYTES >> 30} GB can be opened.", 413)
        async with request.form(max_files=folders.MOST_CHOSEN + 1) as form:
            packed, loose = _files(form, "file"), _files(form, "files")
            if not packed and not loose:
                return self.refuse("Choose a ZIP file or a folder first.", 400)
            given = packed[0].filename if packed else (loose[0].filename or "").partition("/")[0]
            name = self.store.new(KIND, {"file": plain_name(str(given)).removesuffix(".zip")})
            try:
                await run_in_threadpool(self._keep, name, packed, loose)
            except (ValueError, OSError) as error:
                words = str(error).replace(f"{self._data(name)}/", "")
                self.store.remove(KIND, name)
                return self.refuse(words, 400)
        return RedirectResponse(f"/folders/{name}", 303)

    def _keep(self, name: str, packed: list[UploadFile], loose: list[UploadFile]) -> None:
        data = self._data(name)
        if packed:
            archive = data.with_name("upload.zip")
            with archive.open("wb") as out:
                while block := packed[0].file.read(folders.BLOCK):
                    out.write(block)
            folders.unpack(archive, data)
            archive.unlink()
        else:
            folders.keep_chosen(
                [folders.UploadedFile(f.filename or "", f.file) for f in loose], data
            )
        found = folders.described(data)
        pixels = folder_pages.pixels_in_words(found.pixels)
        best = folder_pages.best_size(found.pixels)
        self.store.change(KIND, name, domains=found.domains, pixels=pixels, best=best)

    async def shown(self, request: Request) -> Response:
        """A folder, its domains and some of its images."""
        return await self._shown(request.path_params["id"])

    async def _shown(self, name: str, wrong: str = "") -> Response:
        about = self.store.about(KIND, name)
        page = await run_in_threadpool(folder_pages.folder_page, about, self._data(name), wrong)
        return HTMLResponse(page, 400 if wrong else 200)

    async def fit(self, request: Request) -> Response:
        """Start a fit of what the form asks for."""
        name = request.path_params["id"]
        about = self.store.about(KIND, name)
        async with request.form() as form:
            try:
                asked = _asked(name, about["file"], form)
            except ValueError as error:
                return await self._shown(name, str(error))
        kept = {
            "asked": asked.plain(),
            "status": RUNNING,
            "text": "",
            "data": str(self._data(name)),
        }
        fit = self.store.new("fits", kept)
        self.jobs.start(fit, asked.commands(self._data(name)), asked.shares)
        return RedirectResponse(f"/fits/{fit}", 303)

    def _data(self, name: str) -> Path:
        return self.store.place(KIND, name) / folders.DATA


def _files(form: FormData, name: str) -> list[UploadFile]:
    found = form.getlist(name)
    return [file for file in found if isinstance(file, UploadFile) and file.filename]


def _asked(name: str, file: str, form: FormData) -> ImageFitRequest:
    size = _number(form, "size", folder_pages.SMALLEST, folder_pages.LARGEST)
    steps = _number(form, "steps", folder_pages.FEWEST, folder_pages.MOST)
    return ImageFitRequest(name, file, size, steps, "colours" in form, "far" in form)


def _number(form: FormData, name: str, least: int, most: int) -> int:
    text = str(form.get(name, ""))
    if not (text.isascii() and text.isdigit() and len(text) < 7 and least <= int(text) <= most):
        raise ValueError(f"{name} must be from {least} to {most}; got {text[:20]!r}.")
    return int(text)
