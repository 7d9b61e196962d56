from mypy.plugin import Plugin


class Crashing(Plugin):
    def get_function_hook(self, fullname):
        raise ValueError(fullname)


def plugin(version):
    return Crashing
