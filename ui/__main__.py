"""``python -m ui`` is the same as the command ``participant-simulator``."""

import sys

from ui.start import main

if __name__ == "__main__":
    sys.exit(main())
