"""The addresses of fits: how far one is, its page, its rows and its files."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from elsewhere.app import fit_pages
from elsewhere.app.document import document, problem
from elsewhere.app.fit_request import MODEL, REPORT, FitRequest
from elsewhere.app.folder_routes import Refuse
from elsewhere.app.image_fit_request import ImageFitRequest
from elsewhere.app.jobs import Jobs
from elsewhere.app.store import DONE, RUNNING, MissingError, Store
from elsewhere.escaping import Html


class FitRoutes:
    """What the app does with fits; `refuse` shows the first page and the error."""

    def __init__(self, store: Store, jobs: Jobs, refuse: Refuse):
        self.store, self.jobs, self.refuse = store, jobs, refuse

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/compare", self.compare),
            Route("/fits/{id}", self.shown),
            Route("/fits/{id}/status", self.status),
            Route("/fits/{id}/cancel", self.cancel, methods=["POST"]),
            Route("/fits/{id}/row", self.row),
            Route("/fits/{id}/answers", self.answers),
            Route("/fits/{id}/{what:str}", self.file),
        ]

    async def shown(self, request: Request) -> Response:
        """A fit, whatever its state."""
        about = self.store.about("fits", request.path_params["id"])
        if about["status"] == RUNNING:
            return HTMLResponse(fit_pages.running_page(about))
        if about["status"] != DONE:
            return HTMLResponse(fit_pages.ended_page(about))
        place, trust = self.store.place("fits", about["id"]), self._said(about, "report")
        if "answer" not in about:
            self.store.change("fits", about["id"], answer=trust["decision"]["answer"])
        domains = self._said(about, "fit")["domains"]
        whole = (place / REPORT).read_text(encoding="utf-8")
        inner = whole.split("<main>\n", 1)[1].rsplit("\n</main>", 1)[0]
        body = Html(inner.split("</h1>", 1)[1])  # blocks that the report has escaped
        asked, names = _asked_again(about), list(map(str, domains))
        if isinstance(asked, ImageFitRequest):
            return HTMLResponse(fit_pages.images_page(about, asked, names, body))
        known = any(move["error"] for move in trust["moves"]["moves"])
        return HTMLResponse(fit_pages.done_page(about, asked, names, body, interval=known))

    async def status(self, request: Request) -> Response:
        """How far a fit is."""
        about = self.store.about("fits", request.path_params["id"])
        told = {"status": about["status"], "fraction": about.get("fraction", 0.0)}
        return JSONResponse(told | {"said": fit_pages.said(about)})

    async def cancel(self, request: Request) -> Response:
        """Stop a fit."""
        await self.jobs.cancel(request.path_params["id"])
        return RedirectResponse(f"/fits/{request.path_params['id']}", 303)

    async def row(self, request: Request) -> Response:
        """One row, before and after."""
        about = self._done(request)
        asked, to = request.query_params.get("row", ""), request.query_params.get("to", "")
        try:
            answers = import_module("elsewhere.app.answers")
            where = self._model(about), Path(about["data"]), int(asked), to
            source, cells = await run_in_threadpool(answers.detail, *where)
        except ValueError as error:
            return HTMLResponse(problem(str(error))[0], 400)
        block = fit_pages.row_block(int(asked), source, to, cells)
        if "text/fragment" in request.headers.get("accept", ""):
            return HTMLResponse(block)
        return HTMLResponse(document("One row", [block]))

    async def answers(self, request: Request) -> Response:
        """Every row as if from another domain, as a file."""
        about, to = self._done(request), request.query_params.get("to", "")
        answers = import_module("elsewhere.app.answers")
        data = Path(about["data"])
        out = await run_in_threadpool(answers.all_answers, self._model(about), data, to)
        return FileResponse(out, filename=f"{_name(about)}-as-if-from-{_plain(to)}{out.suffix}")

    async def file(self, request: Request) -> Response:
        """The model, the report or the data of a fit."""
        about, what = self._done(request), request.path_params["what"]
        place = self.store.place("fits", about["id"])
        found = {"model": place / MODEL, "report": place / REPORT}
        if not Path(about["data"]).is_dir():
            found["data"] = Path(about["data"])
        return FileResponse(found[what], filename=found[what].name)

    async def compare(self, request: Request) -> Response:
        """Several fits side by side."""
        names = request.query_params.getlist("fit")
        fits = [self.store.about("fits", name) for name in names]
        done = [fit for fit in fits if fit["status"] == DONE]
        if len(done) < 2:
            return self.refuse("Tick at least two fits that are done.", 400)
        trusts, fitted = ([self._said(fit, w) for fit in done] for w in ("report", "fit"))
        differences = [one.get("difference", "") for one in fitted]
        return HTMLResponse(fit_pages.compare_page(done, trusts, differences))

    def _said(self, about: dict[str, Any], command: str) -> dict[str, Any]:
        """What a command of a fit has printed."""
        path = self.store.place("fits", about["id"]) / f"{command}.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def _model(self, about: dict[str, Any]) -> Path:
        return self.store.place("fits", about["id"]) / MODEL

    def _done(self, request: Request) -> dict[str, Any]:
        about = self.store.about("fits", request.path_params["id"])
        if about["status"] != DONE:
            raise MissingError("This fit is not done.")
        return about


def _name(about: dict[str, Any]) -> str:
    return Path(about["asked"]["file"]).stem


def _asked_again(about: dict[str, Any]) -> FitRequest | ImageFitRequest:
    given = about["asked"]
    if "folder" in given:
        return ImageFitRequest(**given)
    lists = {n: tuple(value) for n, value in given.items() if isinstance(value, list)}
    return FitRequest(**(given | lists | {"file": Path(about["data"]).name}))


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text)[:40]
