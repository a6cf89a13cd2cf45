"""Who may come in: those with the token, from this machine's own pages."""

import secrets
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "elsewhere-token"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Gate:
    """Refuse requests without the token, and those that another site's page has made.

    The token comes once in the address, and from then on in a cookie that scripts cannot read. The
    host must be an address of this machine, so that no name can be bent to point here.
    """

    def __init__(self, app: ASGIApp, token: str):
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = self._answer(Request(scope))
        await (answer or self.app)(scope, receive, _with_headers(send))

    def _answer(self, request: Request) -> Response | None:
        """What is answered here: a refusal, or the cookie; None lets the request through."""
        if _foreign(request.headers):
            return PlainTextResponse("This request was made by another site's page.", 403)
        given = request.query_params.get("token")
        if given is not None and secrets.compare_digest(given.encode(), self.token.encode()):
            answer = RedirectResponse(request.url.path, 303)
            answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
            return answer
        known = request.cookies.get(COOKIE, "")
        if given is None and secrets.compare_digest(known.encode(), self.token.encode()):
            return None
        words = "Open the address that `elsewhere app` printed: its token was missing or wrong."
        return PlainTextResponse(words, 403)


def _foreign(headers: Headers) -> bool:
    """Whether the host is a name, or the request comes from another origin."""
    host = headers.get("host", "")
    name = host.rpartition(":")[0] if ":" in host else host
    is_address = name.replace(".", "").isdigit() or name in ("localhost", "[::1]")
    origin = headers.get("origin")
    return not is_address or (origin is not None and urlsplit(origin).netloc != host)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
