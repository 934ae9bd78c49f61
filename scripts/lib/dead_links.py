"""Fails if a page of a folder of HTML links to a file of the folder that is not there: `dead_links.py FOLDER`."""

import re
import sys
from pathlib import Path
from urllib.parse import unquote


def main() -> None:
    folder = Path(sys.argv[1])
    pages = sorted(folder.rglob("*.html"))
    dead = [f"{page}: {target}" for page in pages for target in targets(page) if not (page.parent / target).is_file()]
    if dead or len(pages) < 100:
        sys.exit("\n".join([f"site: error: {len(pages)} pages, dead links:", *dead]))


def targets(page: Path) -> set[str]:
    """The files that a page names, relative to its folder."""
    named = re.findall(r'<(?:a|link|img|script)\b[^>]*? (?:href|src)="([^"#?]+)', page.read_text())
    return {unquote(target) for target in named if not re.match(r"[a-z]+:", target)}


main()
