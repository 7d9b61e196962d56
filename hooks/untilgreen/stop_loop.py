"""stop-loop: the agent wants to stop; may it?"""

import os
import sys


def main() -> None:
    """Answer one call of the host."""
    from untilgreen import entry

    entry.run("stop-loop")


if __name__ == "__main__":
    # run as a file, with -I: the package's parent comes before site-packages, after the standard library
    here = os.path.dirname(os.path.dirname(os.path.realpath(sys.argv[0])))
    sys.path.insert(next((i for i, p in enumerate(sys.path) if p.endswith("-packages")), len(sys.path)), here)
    main()
