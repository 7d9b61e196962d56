"""What lies beside our code: the templates."""

import os

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def templates() -> str:
    """The folder of the templates: inside the installed package, or at the top of a checkout."""
    inside = os.path.join(_HERE, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(os.path.dirname(_HERE)), "templates")
