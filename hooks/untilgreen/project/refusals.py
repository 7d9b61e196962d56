"""What the system refuses a process of ours, and what a person can do about it."""

import errno

from untilgreen.core.errors import UserError

_CURES = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "make room on the disk"),
    **dict.fromkeys((errno.ENOMEM, errno.EAGAIN), "end other programs"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "let more files be open (ulimit -n)"),
    errno.EIO: "look after the disk",
    errno.EROFS: "mount it to be written",
}


def refused(error: Exception) -> UserError | None:
    """The error of what the system refused; None where it is rather a bug of ours."""
    if isinstance(error, MemoryError):
        error = OSError(errno.ENOMEM, "no memory is left")
    if not isinstance(error, OSError):
        return None
    cure = _CURES.get(error.errno or 0, "")
    if not error.filename:
        return UserError(error.strerror or str(error), cure) if cure else None
    own = "put it back, or try again" if error.errno == errno.ENOENT else "make it yours to read and write"
    return UserError(f"cannot use {error.filename}: {error.strerror}", cure or own)
