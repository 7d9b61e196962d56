import hashlib
import subprocess

password = "r00t!pw99"


def listing(path):
    return subprocess.check_output("ls " + path, shell=True)


def key(path):
    return hashlib.md5(path.encode()).hexdigest()
