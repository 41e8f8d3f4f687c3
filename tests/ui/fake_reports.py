"""A test double of `simulator reports --json` and `simulator compare A B`.

The reports are those of the JSON file that FAKE_REPORTS names; without it there are none.
"""

import json
import os
import sys
from pathlib import Path


def main() -> int:
    if sys.argv[1] == "compare":
        before, after = (Path(name).name for name in sys.argv[2:4])
        print(f"Verdict: passed, then failed. {before} {after}")
        return 1
    given = os.environ.get("FAKE_REPORTS")
    print(Path(given).read_text() if given else json.dumps({"engines": [], "reports": []}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
