"""The page: one document with everything it shows inside, nothing fetched from anywhere."""

from collections.abc import Iterable
from pathlib import Path

from elsewhere.escaping import Html, for_html
from elsewhere.files import write_whole

CSS = """
:root { color-scheme: light; --ink: #2b2b2b; --soft: #5f5f5f; --line: #e2e2e2; }
* { box-sizing: border-box; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
       margin: 0 auto; max-width: 60rem; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .35rem; }
h2 { font-size: 1.25rem; margin: 2.75rem 0 .6rem; padding-bottom: .2rem;
     border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
p { margin: .5rem 0; max-width: 46rem; }
.lead, figcaption, .small { color: var(--soft); }
.small, figcaption { font-size: .88rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums;
        margin: .6rem 0; }
th, td { text-align: right; padding: .28rem .7rem; border-bottom: 1px solid var(--line);
         vertical-align: top; }
th, tr.best td { font-weight: 600; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
th + th, td + td { overflow-wrap: break-word; }
table.text th, table.text td, table.stack th, table.stack td { text-align: left; }
img { display: block; width: 100%; height: auto; }
figure { margin: .6rem 0; }
.grid { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(11.5rem, 1fr)); }
.grid figure { margin: 0; }
.cards { display: grid; gap: .8rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
.card, .banner { border: 1px solid var(--line); border-left: .4rem solid; border-radius: .4rem;
                 padding: .7rem .9rem; background: #fff; }
.card h3 { margin: .15rem 0 .25rem; }
.card p { font-size: .94rem; margin: .25rem 0; }
.banner { margin: 1.2rem 0; }
.banner ul { margin: .4rem 0 0; padding-left: 1.2rem; }
.badge { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .82rem;
         font-weight: 600; white-space: nowrap; }
.good { border-left-color: #2f7d4f; } .badge.good { background: #e3f2e8; color: #1c5a36; }
.caution { border-left-color: #b7791f; } .badge.caution { background: #fdf0d5; color: #7a4d0b; }
.bad { border-left-color: #b3372f; } .badge.bad { background: #fbe3e1; color: #8a1f18; }
.unknown { border-left-color: #8a8a8a; } .badge.unknown { background: #eee; color: #4a4a4a; }
.badge { border-left-width: 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: #2b5f93; font-size: .92rem; }
pre { background: #f5f5f5; padding: .7rem .9rem; border-radius: .4rem; font-size: .85rem;
      white-space: pre-wrap; }
@media (max-width: 30rem) {
  body { padding: 1.2rem .8rem 3rem; } .cards { grid-template-columns: 1fr; }
  .grid { grid-template-columns: 1fr 1fr; } th, td { padding: .25rem .45rem; }
  table.stack thead { display: none; } table.stack td { display: block; padding: .1rem 0; }
  table.stack td { border: 0; } table.stack tr { display: block; padding: .5rem 0;
  border-bottom: 1px solid var(--line); }
}
@media print {
  @page { margin: 16mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  details:not([open]) { display: none; }
  h2, h3 { break-after: avoid; } figure, .card, .banner, tr { break-inside: avoid; }
  .cards { grid-template-columns: 1fr 1fr; } .grid { grid-template-columns: repeat(4, 1fr); }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""


def page(title: str, body: Iterable[Html]) -> bytes:
    """The whole document."""
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{for_html(title)}</title><style>{CSS}</style>"
    )
    inner = "\n".join(for_html(block) for block in body)
    html = f'<html lang="en"><head>{head}</head><body>\n{inner}\n</body></html>'
    return f"<!doctype html>\n{html}\n".encode()


def write_page(path: str | Path, title: str, body: Iterable[Html]) -> Path:
    """The document at `path`, whole or not at all."""
    return write_whole(Path(path), page(title, body))
