"""``python -m investigator``: the command line."""

import sys

from investigator.cli import main

sys.exit(main())
