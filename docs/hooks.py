"""Build-time content: figures of `results/`, each in git once, and the command reference."""

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))  # MkDocs runs hooks outside of any package

from make_commands import MARK, commands  # noqa: E402

ROOT = Path(__file__).parent.parent
FIGURE = re.compile(r"(?<=\]\()((?:\.\./)*)\.\./(results/[^)]+\.png)(?=\))")


def on_files(files: Files, config: Any) -> Files:
    """Take the figures that pages name into the site."""
    pages = (page.content_string for page in files.documentation_pages())
    for name in sorted({name for page in pages for _, name in FIGURE.findall(page)}):
        files.append(File.generated(config, name, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Point to the figures where the site has them; put the commands where their page asks."""
    if MARK in markdown:
        markdown = markdown.replace(MARK, commands())
    return FIGURE.sub(r"\1\2", markdown)
