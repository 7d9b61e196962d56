import subprocess


def run(words):
    assert words
    return subprocess.run(words, shell=True)
