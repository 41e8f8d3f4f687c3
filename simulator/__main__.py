"""`python -m simulator COMMAND`: the commands, without the window."""

import sys

from simulator.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
