"""Secrets that checks print: nobody is shown them, and nothing that we keep holds them.

The examples are put together here, so that no scanner takes this file for a leak.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.core.secrets import PREFIXES, SHAPES, masked, safe
from untilgreen.core.words import judgement
from world import MARKER, World

A, H, U = "aB3d" * 12, "0a1f" * 12, "Q7XZ" * 4  # letters and digits, hex digits, and capitals
MASK = "…(masked)"
BEGIN, END = (f"-----{which} RSA {'PRIVATE'} KEY-----" for which in ("BEGIN", "END"))
LINES = f"MIIE{A}\n{A}{A}\nab/+=="

# prefixes; what follows them in a secret, and in an ordinary text
BY_PREFIX = (
    ("ghp_ gho_ ghu_ ghs_ ghr_", A, "token"),
    ("ghs_", f"123_{A}.{A}.{A}", "token"),
    ("github_pat_ glsa_ sntrys_ sntryu_", f"{A}_{A}", "token"),
    ("glpat- gldt- glft- glsoat- glrt- glptt- glagent- gloas- glimt- glffct- glcbt- GR1348941", A[:20], "x"),
    ("AKIA ASIA ABIA ACCA", U, f"{U}more"),
    ("ABSK bedrock-api-key- glc_", A, "is one"),
    ("xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxe- xapp-", f"12-34-{A}", "..."),
    ("hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", f"T1/B2/{A}", "T1"),
    ("discord.com/api/webhooks/ discordapp.com/api/webhooks/", f"12/{A}", "12"),
    ("sk_live_ sk_test_ rk_live_ rk_test_ whsec_", A[:24], "mode_on"),
    ("sk-ant- sk-proj- sk-svcacct- sk-admin- sk-service- sk-or-v1-", f"a-{A}", "key"),
    ("sk-", A, "folding-cube-with-a-long-name-of-css"),
    ("AIza", A[:35], "wa"),
    ("ya29. GOCSPX-", A, "x"),
    ("npm_ hf_ api_org_ gsk_ r8_", A[:36], "config_user_agent_and_other_long_variables"),
    ("pplx- lin_api_ ntn_ cfut_ cfat_", A, "key"),
    ("xai-", A, "components-for-the-design-of-long-names"),
    ("pypi-AgE", A, "x"),
    ("rubygems_ sbp_ dapi bkua_ pul-", H, "version_of_the_thing_that_is_long_enough"),
    ("dop_v1_ doo_v1_ dor_v1_", H, "x"),
    ("shpat_ shpca_ shppa_ shpss_", H[:32], "x"),
    ("SG.", f"{A[:22]}.{A[:43]}", "module.name"),
    ("SK", H[:32], "IPPED"),
    ("eyJ", f"{A}.eyJ{A}.{A}", A),
    ("hvs. hvb. hvr.", A, "x"),
    ("dckr_pat_ dckr_oat_ nfp_ pscale_tkn_ pscale_oauth_ pscale_pw_", A, "x"),
    ("tskey- figd_ PMAK- HRKU-AA sq0atp- sq0csp-", f"{H}-{H}", "x"),
    ("ATATT3 ATCTT3 AGE-SECRET-KEY-1 dp.pt. dt0c01. ops_eyJ", A, "x"),
    ("CCIPAT_ lsv2_pt_ lsv2_sk_", f"{A}_{H}", "x"),
    ("AccountKey= SharedAccessKey=", f"{A}{A}==", "..."),
    ("sig=", f"{A[:40]}%2B%2F{A[:3]}%3D", "12"),
    ("_authToken=", A, "${NPM_TOKEN}"),
    ("NRAK- xkeysib- rdme_ sgp_ CFPAT- shippo_live_ sha256~", A, "x"),
    ("AKCp oy2", A, "x"),
    ("1//0", A, "x"),
    ("pk.eyJ sk.eyJ tk.eyJ", f"{A}.{A}", A),
    ("key-", H[:32], "value-of-a-thing-that-is-long-enough"),
    ("pat", f"{A[:14]}.{H}{H[:16]}", "tern.matches"),
    ("IQoJb3JpZ2lu FwoGZXIvYXdz", f"{A}{A}", "x"),
)
# a secret, what is told of it, and an ordinary text that is much like it
BY_SHAPE = (
    (f"{BEGIN}\n{LINES}\n{END}\nx", f"{BEGIN}{MASK}\nx", f"{BEGIN}\nx"),
    (f"'{BEGIN}\\n{A}", f"'{BEGIN}{MASK}", f"no {BEGIN} in {'word ' * 20}"),
    (f"E   {A}\nE   ab==\nE   {END}", f"{MASK}\nE   {END}", f"two words\n{END}"),
    ("postgres://joe:s3cret@db/x", f"postgres://joe:{MASK}@db/x", "http://localhost:3000/@vite/client"),
    ("redis://:s3cret@db", f"redis://:{MASK}@db", "ssh://git@host:22/x y@z"),
    (f"{{'Authorization': 'Basic {A}'}}", f"{{'Authorization': 'Basic {MASK}'}}", "authorization: basic auth"),
    (rf"\'authorization\': \'token {A}\'", rf"\'authorization\': \'token {MASK}\'", "Authorization: required"),
    (f"got Bearer {A}", f"got Bearer {MASK}", "a bearer of bad-news"),
    (f"AWS_SECRET_ACCESS_KEY={A[:40]}", f"AWS_SECRET_ACCESS_KEY={MASK}", "AWS_SECRET_ACCESS_KEY=unset"),
    (f'"secretAccessKey": "{A[:40]}"', f'"secretAccessKey": "{MASK}"', f"secret {A[:40]}"),
    (f"abc8Q~{A[:34]}", f"abc8Q~{MASK}", "Q~1"),
    (f"{A[:14]}.atlasv1.{A}", f"{A[:14]}.atlasv1.{MASK}", "x.atlasv1."),
    (f"123456789:AA{A[:33]}", f"123456789:{MASK}", "app.py:12:AAA"),
    (f"key {H[:32]}-us21", f"key {MASK}", f"{H[:32]}-user"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("prefix", "secret", "other"), [(one, *rest) for names, *rest in BY_PREFIX for one in names.split()]
)
def test_what_follows_a_prefix_that_an_issuer_published_is_masked(prefix: str, secret: str, other: str) -> None:
    quoted = rf"KEY='{prefix}{secret}' \n{prefix}{secret}"
    assert masked([quoted]) == [rf"KEY='{prefix}{MASK}' \n{prefix}{MASK}"]
    assert masked([f"it is {prefix}{other}"]) == [f"it is {prefix}{other}"]
    assert masked([f"MORE{prefix}{secret}"]) == [f"MORE{prefix}{secret}"]


@pytest.mark.parametrize("before", ["token%3D", r"a\u003d", r"a\x3d", r"\x1b[1m", r"\u001b[32m", "my_", "token="])
def test_a_secret_begins_behind_what_a_program_wrote_in_its_own_way(before: str) -> None:
    assert masked([f"{before}ghp_{A}"]) == [f"{before}ghp_{MASK}"]


@pytest.mark.parametrize(("secret", "told", "other"), BY_SHAPE)
def test_what_has_the_shape_of_a_secret_is_masked(secret: str, told: str, other: str) -> None:
    assert masked([secret, other]) == [told, other]


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\x1b[1m", "\ufe0f"])
def test_a_character_that_nobody_sees_hides_no_secret(unseen: str) -> None:
    split = f"ghp_{A[:8]}{unseen}{A[8:]}"
    assert [safe(split), judgement.clean(split), *masked([split])] == [f"ghp_{MASK}"] * 3
    assert masked([f"caf\u00e9{unseen} stays"]) == [f"caf\u00e9{unseen} stays"]


def test_every_row_of_the_table_has_its_example() -> None:
    assert {one for names, _ in PREFIXES for one in names.split()} == {
        one for names, *_ in BY_PREFIX for one in names.split()
    }
    assert [word for word, _ in SHAPES if not any(word in secret.lower() for secret, *_ in BY_SHAPE)] == []


EXAMPLES = [f"{one}{secret}" for names, secret, _ in BY_PREFIX for one in names.split()]


@given(st.sampled_from([*EXAMPLES, *(secret for secret, *_ in BY_SHAPE)]), st.text(), st.text())
def test_whatever_stands_around_it_a_secret_is_masked(secret: str, before: str, after: str) -> None:
    assert secret not in masked([f"{before}\n{secret}\n{after}"])[0]


def test_no_secret_is_told_or_kept(green: World) -> None:
    token = f"ghp_{A}"
    print_it = f"import sys\nprint('url https://joe:{A}@host')\nsys.exit('no {token}')\n"
    green.write({"own.py": print_it, "broken.py": f"print('{token}')\n"})
    green.write({"untilgreen.toml": '[checks.broken]\ncommand = "python3 broken.py"\nformat = "sarif"\n'})
    green.commit()
    green.start("mend it", "--check", "own=python3 own.py", "--max-iterations", "2")
    held, released = green.stop(), green.stop()
    assert held.stderr.splitlines()[1:] == [
        "Failing:",
        "  check broken: sarif: a JSON object is expected, there is none",
        f"    ghp_{MASK}",
        f"  own: exit-1 no ghp_{MASK}",
        f"    url https://joe:{MASK}@host",
        MARKER,
        "Task: mend it",
        "Stage static is unknown this round: something there hides other findings or did not run.",
    ]
    assert not released.held
    assert A not in held.stdout + released.stdout + released.stderr
    # the project's own files lie in git's objects as they are
    kept = [path for path in (green.project / ".untilgreen").rglob("*") if path.is_file() and "git" not in path.parts]
    assert [path.name for path in kept if A in path.read_text()] == []
    by_hand = green.run("untilgreen", "check", "--json")
    assert (by_hand.code, A in by_hand.stdout, json.loads(by_hand.stdout)["verdict"]) == (1, False, "red")


def test_a_secret_in_the_name_of_a_file_or_in_the_reason_of_an_agent_is_not_told(green: World) -> None:
    green.write({f"src/ghp_{A}.py": "import os\n", f"test_ghp_{A}.py": "def test_a():\n    assert 0\n"})
    green.start("mend it", "--tests-pass")
    held, edited = green.stop(), green.edit(f"src/ghp_{A}.py", "import re\n")
    blocked = green.stop(f"No.\n<ralph>BLOCKED: no sk-ant-{A}</ralph>")
    explained = (
        green.run("untilgreen", "show", "--why").stdout + green.run("untilgreen", "show", "--why", "--json").stdout
    )
    assert f"src/ghp_{MASK}:1" in held.stderr
    assert "no sk-ant-" + MASK in blocked.notice
    assert [A in text for text in (held.stderr, edited.stdout, blocked.stdout, explained)] == [False] * 4
    assert f"sk-ant-{A}" not in (green.folder / "loop_state.json").read_text()


def test_a_token_that_is_drawn_anew_at_each_run_makes_no_new_finding(green: World) -> None:
    green.write({"own.py": "import os, sys\nsys.exit('no ghp_' + os.urandom(20).hex())\n"})
    green.start("mend it", "--check", "own=python3 own.py")
    assert green.stop().held
    assert green.stop().stderr.splitlines()[1:3] == ["Still failing:", f"  own: exit-1 no ghp_{MASK}"]
