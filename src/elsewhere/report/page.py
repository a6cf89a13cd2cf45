"""The page: one document with everything it shows inside, nothing fetched from anywhere."""

import base64
import hashlib
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from elsewhere.escaping import Html, for_html
from elsewhere.files import write_whole

CSS = """
:root { color-scheme: light dark; --ink: #2b2b2b; --soft: #5a5a5a; --line: #dcdcdc; --page: #fff;
        --card: #fff; --code: #f5f5f5; --link: #24578a; --good: #1c5a36; --caution: #7a4d0b;
        --bad: #8a1f18; --unknown: #4a4a4a; --good-soft: #e3f2e8; --caution-soft: #fdf0d5;
        --bad-soft: #fbe3e1; --unknown-soft: #ececec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --soft: #b4b4b4; --line: #3c3f44;
        --page: #16181c; --card: #1e2126; --code: #23262c; --link: #8fbff0; --good: #8fd6aa;
        --caution: #f0c878; --bad: #f5a49c; --unknown: #c4c4c4; --good-soft: #1d3527;
        --caution-soft: #3b2f16; --bad-soft: #43211f; --unknown-soft: #303338; } }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
       background: var(--page); margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem;
       overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .35rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .6rem; padding-bottom: .2rem;
     border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--link); }
.lead, figcaption, .small { color: var(--soft); }
.small, figcaption { font-size: .88rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums;
        margin: .6rem 0; }
th, td { text-align: right; padding: .28rem .7rem; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th, tr.best td { font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th, td { overflow-wrap: break-word; }
table.text th, table.text td, table.stack th, table.stack td { text-align: left; }
button.sort { font: inherit; font-weight: 600; color: inherit; background: none; border: 0;
              padding: 0; cursor: pointer; text-align: inherit; text-decoration: underline dotted; }
th[aria-sort=ascending] button::after { content: " ▲"; font-size: .7em; }
th[aria-sort=descending] button::after { content: " ▼"; font-size: .7em; }
img { display: block; width: 100%; height: auto; background: #fff; border-radius: .3rem; }
figure { margin: .6rem 0; }
button.enlarge { display: block; width: 100%; padding: 0; border: 0; background: none;
                 cursor: zoom-in; }
.enlarged { width: 96vw; max-width: 96vw; height: 94vh; max-height: 94vh; padding: .8rem;
            border: 1px solid var(--line); background: var(--page); color: var(--ink); }
.enlarged::backdrop { background: rgb(0 0 0 / .6); }
.enlarged .wide { margin-top: .6rem; } .enlarged img { width: max(100%, 56rem); max-width: none; }
.grid { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); }
.grid figure { margin: 0; }
.cards { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
.card, .banner { border: 1px solid var(--line); border-left: .4rem solid; border-radius: .4rem;
                 padding: .7rem .9rem; background: var(--card); }
.card h3 { margin: .15rem 0 .25rem; }
.card p { font-size: .94rem; margin: .25rem 0; }
.card p.small { font-size: .86rem; }
.banner { margin: 1.2rem 0; padding: 1rem 1.2rem; }
.banner h2 { margin: 0; border: 0; padding: 0; font-size: 1rem; color: var(--soft); }
.banner .answer { font-size: 2.1rem; font-weight: 700; line-height: 1.2; margin: .1rem 0 .3rem; }
.answer.good { color: var(--good); } .answer.caution { color: var(--caution); }
.answer.bad { color: var(--bad); }
.banner .headline { font-weight: 600; }
.reasons { margin: .5rem 0; padding-left: 1.3rem; }
.reasons li { margin: .35rem 0; max-width: 46rem; }
.do { font-style: italic; }
.badge { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .82rem;
         font-weight: 600; white-space: nowrap; }
.card.good, .banner.good { border-left-color: #2f7d4f; }
.card.caution, .banner.caution { border-left-color: #b7791f; }
.card.bad, .banner.bad { border-left-color: #b3372f; }
.card.unknown, .banner.unknown { border-left-color: #8a8a8a; }
.badge.good { background: var(--good-soft); color: var(--good); }
.badge.caution { background: var(--caution-soft); color: var(--caution); }
.badge.bad { background: var(--bad-soft); color: var(--bad); }
.badge.unknown { background: var(--unknown-soft); color: var(--unknown); }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--link); font-size: .92rem; }
pre { background: var(--code); padding: .7rem .9rem; border-radius: .4rem; font-size: .85rem;
      white-space: pre-wrap; }
[hidden] { display: none !important; }
.choices { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; margin: .6rem 0; }
select, input, button, .button { font: inherit; max-width: 100%; }
select { padding: .2rem .3rem; } label { max-width: 100%; }
.button { display: inline-block; border: 1px solid var(--link); border-radius: .4rem;
          padding: .35rem .8rem; background: var(--card); color: var(--link); cursor: pointer;
          text-decoration: none; }
.button.main { background: #24578a; border-color: #24578a; color: #fff; font-weight: 600; }
.chart { width: 100%; max-width: 46rem; height: auto; overflow: visible; }
.chart .tick { font-size: 14px; fill: var(--soft); }
.key { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; margin: 0; }
.swatch { display: inline-block; width: .9rem; height: .7rem; margin-right: .35rem; opacity: .5; }
.swatch.s0 { background: #3b75af; } .swatch.s1 { background: #e8833a; }
.swatch.s2 { height: 2px; background: currentColor; opacity: 1; vertical-align: middle; }
.drop { border: 2px dashed var(--line); border-radius: .5rem; padding: .6rem 1rem; }
.drop.over { border-color: var(--link); background: var(--code); }
@media (max-width: 30rem) {
  body { padding: 1.2rem .8rem 3rem; } .cards { grid-template-columns: 1fr; }
  .grid { grid-template-columns: 1fr 1fr; } th, td { padding: .25rem .45rem; }
  table.stack thead { display: none; } table.stack td { display: block; padding: .1rem 0; }
  table.stack td { border: 0; } table.stack tr { display: block; padding: .5rem 0;
  border-bottom: 1px solid var(--line); }
}
@media print {
  @page { margin: 16mm; }
  :root { --ink: #000; --soft: #444; --page: #fff; --card: #fff; --line: #ccc; --code: #f5f5f5; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  details:not([open]), .screen { display: none; }
  h2, h3 { break-after: avoid; } figure, .card, .banner, tr { break-inside: avoid; }
  .cards { grid-template-columns: 1fr 1fr; } .grid { grid-template-columns: repeat(4, 1fr); }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""
SCRIPTS = (  # in the order in which one needs the other
    *("algebra", "links", "models", "covariates", "gaps", "csv", "cells", "move_rows"),
    *("elements", "tables", "pictures", "look", "drop", "page"),
)
NOTHING_OUTSIDE = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'"


def code_of_pages() -> str:
    """The scripts that the package brings, one after the other."""
    static = files("elsewhere.report") / "static"
    return "\n".join((static / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPTS)


def page(title: str, body: Iterable[Html], *, scripts: bool = True) -> bytes:
    """The whole document; it may run its own scripts, known by their hash, and load nothing."""
    inner = "\n".join(for_html(block) for block in body)
    code = code_of_pages() if scripts else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    allowed = f"; script-src 'sha256-{digest}'" if scripts else ""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{NOTHING_OUTSIDE}{allowed}">'
        f"<title>{for_html(title)}</title><style>{CSS}</style>"
    )
    end = f"<script>{code}</script>" if scripts else ""
    main = f"<main>\n{inner}\n</main>{end}"
    html = f'<html lang="en"><head>{head}</head><body>\n{main}\n</body></html>'
    return f"<!doctype html>\n{html}\n".encode()


def write_page(path: str | Path, title: str, body: Iterable[Html], *, scripts: bool = True) -> Path:
    """The document at `path`, whole or not at all."""
    return write_whole(Path(path), page(title, body, scripts=scripts))
