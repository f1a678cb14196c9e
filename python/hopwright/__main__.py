"""`python -m hopwright`."""

import sys

from hopwright._cli.main import main

sys.exit(main())
