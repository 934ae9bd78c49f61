"""Fails if a page of a folder of HTML links to a file or to a part of a page that is not there: `dead_links.py FOLDER`."""

import re
import sys
from pathlib import Path
from urllib.parse import unquote


def main() -> None:
    pages = {page.resolve(): page.read_text() for page in Path(sys.argv[1]).rglob("*.html")}
    parts = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    dead = []
    for page, text in sorted(pages.items()):
        for file, part in targets(text):
            target = (page.parent / file).resolve() if file else page
            if not target.is_file() or (part and target in parts and part not in parts[target]):
                dead.append(f"{page}: {file}#{part}")
    if dead or len(pages) < 100:
        sys.exit("\n".join([f"site: error: {len(pages)} pages, dead links:", *dead]))


def targets(text: str) -> set[tuple[str, str]]:
    """The files that a page names, relative to its folder, and the part of each, or an empty text."""
    named = re.findall(r'<(?:a|link|img|script)\b[^>]*? (?:href|src)="([^"#?]*)(?:#([^"]*))?"', text)
    return {(unquote(file), unquote(part)) for file, part in named if not re.match(r"[a-z]+:", file)}


main()
