"""`python -m simulator.engine`: the embedded engine as its own process."""

import sys

from simulator.engine.process import main

if __name__ == "__main__":
    sys.exit(main())
