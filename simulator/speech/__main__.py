"""`python -m simulator.speech`: the recogniser as a process of its own."""

import sys

from simulator.speech.worker import main

if __name__ == "__main__":
    sys.exit(main())
