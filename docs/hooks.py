"""Lets pages show figures of `results/`, which lie beside `docs/`: each is in git once."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
FIGURE = re.compile(r"(?<=\]\()\.\./(results/[^)]+\.png)(?=\))")


def on_files(files: Files, config: Any) -> Files:
    """Take the figures that pages name into the site."""
    pages = (page.content_string for page in files.documentation_pages())
    for name in sorted({name for page in pages for name in FIGURE.findall(page)}):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point to them where the site has them."""
    return FIGURE.sub(r"\1", markdown)
