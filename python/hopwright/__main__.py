"""`python -m hopwright`."""

import sys

from hopwright.cli import main

sys.exit(main())
