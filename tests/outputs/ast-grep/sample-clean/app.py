import subprocess


def listing(path: str) -> str:
    return subprocess.run(["ls", path], capture_output=True, text=True, check=True).stdout
