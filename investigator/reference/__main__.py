"""The command: write the reference pages, or check that they are what the code says."""

from __future__ import annotations

import argparse
import sys

from investigator.reference import FOLDER, outdated, write


def main() -> int:
    """0: the pages are what the code says; 1: ``--check`` found some that are not."""
    parser = argparse.ArgumentParser(prog="python -m investigator.reference", description="Make the reference pages.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is out of date")
    if not parser.parse_args().check:
        print("written: " + (", ".join(write()) or "nothing, all pages are up to date"))
        return 0
    old = outdated()
    for name in old:
        print(f"{FOLDER / name} is out of date; run: python -m investigator.reference", file=sys.stderr)
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
