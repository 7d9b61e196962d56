import hashlib
import subprocess

subprocess.call("ls " + input(), shell=True)
assert hashlib.md5(b"")
PASSWORD = "hunter2"
eval(input())  # nosec
