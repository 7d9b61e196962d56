import subprocess


def run(words):
    return subprocess.run(words, shell=True)  # noqa: S602
