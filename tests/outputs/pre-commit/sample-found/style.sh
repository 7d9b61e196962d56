#!/bin/sh
for file; do grep -Hn wrong "$file" && echo "$file is wrong" >&2 && code=3; done
exit ${code:-0}
