"""The configuration where no loop carries one: as it was resolved before, or read now, which is the cold path."""

from collections.abc import Mapping
from contextlib import suppress

from untilgreen.core.model import Settings
from untilgreen.settings import config_json
from untilgreen.state.place import config_folder


class Unequipped(str):
    """Why a Python without our packages knows no configuration; the start of its session said so already."""

    __slots__ = ()


def effective(root: str, env: Mapping[str, str], *, keep: bool = False) -> Settings | str:
    """The configuration, resolved before or read now; or why there is none. `keep`: the next one need not read it."""
    folder = config_folder(root, env)
    resolved = config_json.read(folder, root)
    if resolved is not None:
        return resolved
    from untilgreen.settings import packages

    missing = packages.missing()
    if missing:
        return Unequipped(missing)
    from untilgreen.core.errors import UserError
    from untilgreen.settings import load

    try:
        settings = load.load(root)
    except UserError as error:
        return str(error)
    if keep:
        with suppress(UserError):  # it cannot be written: then the next one reads, too
            load.refresh(root, folder)
    return settings
