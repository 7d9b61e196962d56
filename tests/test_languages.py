"""English, Chinese and Korean: who hears which, and that no translation is missing, stale or another text."""

import json

import pytest

import languages
import tables
from untilgreen.core import foreign
from untilgreen.state import catalogue
from world import World

NOTED = json.loads(languages.NOTED.read_text(encoding="utf-8"))
RED = ("--no-zero-errors", "--check", "a=sh -c 'test -e go'", "--preset", "ralph-mem")


@pytest.mark.parametrize("language", languages.OTHERS)
def test_every_text_is_translated_from_the_english_of_now(language: str) -> None:
    """The line says what to do; then `python tools/languages.py`."""
    found = [*languages.faults(languages.catalogue("en"), languages.catalogue(language), NOTED["catalogue"])]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("language", languages.OTHERS)
def test_the_readme_of_each_language_is_the_english_one(language: str) -> None:
    found = [*languages.strayed(languages.readme(), languages.readme(language))]
    assert not found, "\n".join(found)
    assert f"(README.{language}.md)" in languages.readme()
    assert "(README.md)" in languages.readme(language)


def test_the_readmes_are_translated_from_the_english_of_now() -> None:
    """Look at these sections of README.zh.md and README.ko.md again; then `python tools/languages.py`."""
    now, noted = languages.made_of(languages.sections(languages.readme())), NOTED["README"]
    stale = [name for name in now if noted.get(name) != now[name]]
    assert not stale, "\n".join(stale)


def test_what_a_translated_page_lacks_is_named() -> None:
    english = "# A\n\n## B\n\n```sh\nmake x\n```\n\nSay `x`, see [it](a.md).\n\n| `a`, `b` | c |\n"
    theirs = "# 甲\n\n```sh\nmake y\n```\n\n[它](b.md)，`x`\n\n| `a` | c |\n"
    assert list(languages.strayed(english, theirs)) == [
        *("heading not translated: 2 ##", "code block not translated: ```sh\nmake x\n```"),
        *("code block not in English: ```sh\nmake y\n```", "row not translated: 1 ['`a`', '`b`']"),
        *("row not in English: 1 ['`a`']", "code not translated: `b`"),
        *("link not translated: a.md", "link not in English: b.md"),
    ]


def test_a_missing_and_a_stale_translation_are_named() -> None:
    english = {"a": "one {n}||more {n}", "b": "B", "c": "C", "d": "D {x}", "e": "E"}
    noted = languages.made_of(english) | {"b": "before"}
    theirs = {"a": "eins {n}", "b": "Be", "d": "De {y}", "e": "<promise>E</promise>", "f": "F"}
    assert list(languages.faults(english, theirs, noted)) == [
        "b is stale, look at it again: B",
        "c is missing: C",
        "d has other placeholders than: D {x}",
        "e has what no text of ours may have: '<promise>E</promise>'",
        "f is not English any more",
    ]


def test_no_english_text_holds_a_marker_that_would_count() -> None:
    english = languages.catalogue("en")
    assert {key: text for key, text in english.items() if text != foreign.strip(text)} == {}


@pytest.mark.parametrize(("env", "said", "language"), tables.literal("languages", "the variable wins over"))
def test_the_variable_wins_over_the_configuration_and_that_over_the_locale(
    env: dict[str, str], said: str, language: str
) -> None:
    assert catalogue.language(said, env) == language


def test_a_loop_goes_on_in_the_language_of_its_start(quick: World) -> None:
    chinese = {"LANG": "zh_CN.UTF-8"}
    begun = quick.run("start-loop", "修好它", "--session", quick.session, *RED, env=chinese)
    assert "untilgreen: loop started" in begun.stdout  # models and scripts look for it
    held = quick.stop()
    assert held.stderr.startswith("还没有全绿：第 1/10 轮后还剩 1 项 · a 1\n")
    assert held.stderr.endswith("\n任务：修好它\n修好这些，再停下。不要跳过、删除或削弱测试。\n")
    assert held.notice.startswith("✗ 第 1/10 轮 · 还剩 1 项 · ")
    assert held.notice.endswith(" s · 用 /untilgreen:cancel 结束它")
    held = quick.stop(env={"UNTILGREEN_LANG": "ko"})
    assert held.stderr.startswith("아직 모두 통과하지 않음: 2/10 라운드 후 1개 남음 · a 1\n")
    quick.write({"go": ""})
    assert quick.stop().notice.startswith("✓ 全绿 用了 3 轮")
    assert quick.prompt("/untilgreen:status").stdout.startswith("✓ 全绿 用了 3 轮, ")
    state = quick.state
    assert [state[name] for name in ("stop_reason", "final_status", "completion_reason")] == [
        *("complete", "COMPLETE", "All conditions satisfied")
    ]
    assert state["settings"]["lang"] == "zh"


def test_the_lines_of_a_preset_are_the_same_in_every_language(quick: World) -> None:
    quick.write({"untilgreen.toml": 'preset = "talkcody"\nlang = "ko"\n'})
    told = quick.prompt("/untilgreen:loop --check a=false x")
    assert "- If blocked, output exactly: <ralph>BLOCKED: reason</ralph>" in told.context
    assert told.notice.startswith("untilgreen: 루프 켜짐, 목표: ")


def test_without_a_loop_the_configuration_says_the_language(quick: World) -> None:
    quick.init()
    quick.write({"untilgreen.toml": 'lang = "zh"\n'})
    answer = quick.edit("new.py", "import os\n")
    assert answer.context.startswith("untilgreen：new.py 中有 1 个新问题\n")


SEED = tables.literal("languages", "seed")


@pytest.mark.parametrize("language", SEED)
def test_talkcodys_own_texts_are_shown_word_for_word(quick: World, language: str) -> None:
    label, title, description, enabled, disabled, more = SEED[language]
    env = {"UNTILGREEN_LANG": language}
    listed = quick.run("untilgreen", "config", "presets", env=env).stdout
    assert f"{title} · {description} {more}: " in listed
    quick.init()
    quick.write({"untilgreen.toml": 'preset = "talkcody"\n'})
    for name, tooltip in (("off", disabled), ("on", enabled)):
        assert quick.run("untilgreen", name, env=env).stdout.splitlines()[1:] == [f"{label} · {tooltip}"]
    quick.write({"untilgreen.toml": ""})
    assert len(quick.run("untilgreen", "on", env=env).stdout.splitlines()) == 1
