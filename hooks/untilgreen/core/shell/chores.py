"""Commands that prepare, tell or publish something and judge nothing: what CI runs around its checks. Pure."""

import re
from collections.abc import Sequence

_SHELL = (
    "echo printf mkdir rmdir cp mv rm ln touch chmod chown chgrp ls cat head tail pwd cd pushd popd export unset "
    "set shopt source . true : sleep date uname which whereis type env printenv id whoami hostname df du free tree "
    "wc sort tee tar unzip gunzip gzip zip xz curl wget base64 sha256sum md5sum readlink realpath dirname basename "
    "nproc wait ulimit umask trap exit return local declare alias read sed awk cut tr xargs mktemp install truncate "
    "stty history hash umount mount dd split envsubst exec command rimraf del-cli shx cpy-cli ncp mkdirp "
    "cross-env-shell"
)
_SYSTEM = (
    "apt apt-get aptitude dpkg yum dnf apk pacman zypper brew port choco winget scoop snap flatpak nix-env "
    "nix-channel systemctl service sysctl modprobe locale-gen update-alternatives add-apt-repository apt-key "
    "useradd usermod groupadd passwd ssh ssh-keyscan ssh-add ssh-agent ssh-keygen scp rsync gpg openssl powershell "
    "pwsh Xvfb xcode-select xcodes security defaults launchctl ldconfig ccache sccache buildcache"
)
_SETUP = (
    "pip pip3 pip-compile pip-sync pipx conda mamba micromamba pyenv virtualenv venv ensurepip easy_install "
    "corepack nvm fnm volta n asdf rustup cargo-binstall gem rbenv rvm sdk sdkmanager opam ghcup stack-setup "
    "luarocks cpanm cpan raco vcpkg conan playwright-install husky lefthook simple-git-hooks bootstrap autoreconf "
    "autoconf aclocal automake svelte-kit patch-package node-gyp prisma allexport"
)
_PUBLISHING = (
    "twine codecov codecovcli coveralls codeclimate cc-test-reporter goveralls gcov lcov genhtml gcovr fastcov "
    "grcov semantic-release release-it changeset np goreleaser git-cliff cz bump2version bumpversion "
    "bump-my-version towncrier gh hub aws gcloud gsutil az kubectl helm heroku flyctl vercel netlify wrangler "
    "firebase surge gh-pages scp ftp mkdocs sphinx-build mike vsce ovsx tailscale doppler vault cosign syft"
)
_ALWAYS = frozenset(f"{_SHELL} {_SYSTEM} {_SETUP} {_PUBLISHING}".split())
# of these programs only what begins with one of these words; "" is the program alone
_ONLY = {
    "git": "config fetch checkout switch clone submodule add commit push pull tag describe log status rev-parse lfs "
    "remote branch merge rebase reset stash init show rev-list ls-files symbolic-ref clean worktree apply am rm mv",
    "uv": "sync pip venv python tool cache publish self init add remove export version build",
    "poetry": "install config env add remove update self publish version export build",
    "pdm": "install sync config add remove update use publish self venv export lock build",
    "pipenv": "install sync --python --venv lock update",
    "hatch": "env publish version config dep self clean build",
    "rye": "sync install config self publish pin add build",
    "pixi": "install add init update global self-update",
    "npm": "ci install i add config set version publish pack cache audit prune rebuild dedupe link whoami login fund "
    "clean-install install-clean ls list view info update",
    "pnpm": "install i ci add config set version publish pack store fetch prune rebuild setup env link audit why list "
    "ls import approve-builds",
    "yarn": " install config set version publish pack cache plugin up add link --version --immutable dlx "
    "--frozen-lockfile --no-immutable --check-cache --prefer-offline --ignore-scripts --ignore-engines",
    "bun": "install i add ci update link publish pm upgrade init",
    "deno": "install cache upgrade publish add",
    "lerna": "bootstrap publish version link",
    "cargo": "install fetch update binstall publish login generate-lockfile add vendor metadata clean package search "
    "yank init new tree version llvm-cov-clean",
    "go": "install get env version clean generate work list telemetry",
    "go mod": "download tidy vendor edit init graph why",
    "bundle": " install config lock update add cache package clean",
    "bundler": " install config lock update",
    "composer": "install update require config self-update dump-autoload global clear-cache create-project",
    "dotnet": "restore tool nuget workload pack publish sln new add clean --info --list-sdks dev-certs build-server",
    "mix": "local.hex local.rebar deps.get deps.compile hex.publish hex.info ecto.create ecto.migrate archive.install",
    "swift": "package --version",
    "cabal": "update install freeze configure sdist user-config",
    "stack": "setup install upload sdist config",
    "zig": "version fetch env",
    "dart": "pub",
    "flutter": "pub config precache doctor upgrade",
    "mvn": "dependency:go-offline dependency:resolve deploy versions:set install-plugin help:evaluate",
    "docker": "login logout build buildx pull push tag images info version compose-up network volume load save rm ps",
    "docker compose": "up down pull build logs ps stop start rm config create",
    "docker-compose": "up down pull build logs ps stop start rm config create",
    "podman": "login build pull push tag",
    "coverage": "xml html json lcov combine erase debug annotate",
    "nyc": "report merge",
    "playwright": "install install-deps",
    "cypress": "install verify info cache",
    "pre-commit": "install install-hooks autoupdate gc clean",
    "mise": "install use trust settings activate self-update",
    "just": "--list -l --version",
    "cmake": "--version -B -S -G -DCMAKE_BUILD_TYPE ..",
    "meson": "setup configure --version",
    "terraform": "init login apply plan",
    "changeset": "version publish",
    "python -m": "pip venv ensurepip virtualenv twine pipx site sysconfig platform",
}
# the names of scripts that prepare or publish, and of those that write
_PREPARING = re.compile(
    r"(?:(?:pre|post)?(?:install|build|publish|pack)|get|fetch|set-?up|clone|use|set|switch|patch|make|create|add"
    r"|remove|write|fix|apply|replace|rename|convert|export|strip|bootstrap|prepare|provision|deploy|publish|release"
    r"|upload|download|docs?|clean|configure|generate|gen|update|sync|bump|version|changelog|build|bench|migrate|seed"
    r"|start|serve|stop|collectstatic|compilemessages|loaddata|flush|runserver|createsuperuser)(?![a-z])"
)
_ASKING = {"--version", "-V", "--help", "-h", "version"}


def prepares(path: str) -> bool:
    """Whether a script's name says that it prepares, publishes or writes something; or its folder, that it takes times
    or makes documentation."""
    return re.search(r"(?:^|/)(?:bench\w*|docs?)/", path.lower()) is not None or any(
        _PREPARING.match(word) for word in re.split(r"[._/]|(?<!set)-", path.rpartition("/")[2].lower())
    )


def is_chore(words: Sequence[str]) -> bool:
    """Whether a command judges nothing, as far as its words say."""
    name = words[0].rpartition("/")[2] if words else ":"
    rest = [word for word in words[1:] if not word.startswith("+")]
    if name == "sudo":
        return is_chore(rest)
    if name in _ALWAYS or (rest and rest[0] in _ASKING) or (len(rest) == 1 and rest[-1] in _ASKING):
        return True
    plain = [word for word in rest if not word.startswith("-")]
    for known, after in ((" ".join((name, *plain[:1])), plain[1:]), (name, plain)):
        if known in _ONLY:
            return bool({*after[:1], *rest[:1], *([] if rest else [""])} & {*_ONLY[known].split(" ")})
    return False
