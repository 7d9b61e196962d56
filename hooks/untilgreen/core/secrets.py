"""Secrets in what tools print, masked by the prefixes and shapes that their issuers publish. Pure; loaded where a check
is red.

What has no shape of its own passes: "the password is swordfish". A mask keeps the prefix, which tells what was there:
`ghp_…(masked)`. Lengths are lower bounds, below those that are published: a message may have been cut.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from untilgreen.core import foreign
from untilgreen.core.record import Any

# a token begins a word, or comes behind what is written for a sign in a quoted text or a URL, or for a colour
_BEGINS = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=\\x[0-9a-f]{2})|(?<=\\u[0-9a-f]{4})"
    r"|(?<=\[\dm)|(?<=\[\d\dm))"
)
PREFIXES = (
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"[\w.-]{20,}"),  # GitHub; those of apps hold a JSON Web Token
    ("github_pat_ glsa_ sntrys_ sntryu_", r"[\w+/=]{20,}"),  # GitHub, Grafana, Sentry
    # GitLab
    ("glpat- gldt- glft- glsoat- glrt- glptt- glagent- gloas- glimt- glffct- glcbt- GR1348941", r"[\w.-]{16,}"),
    ("AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS
    ("ABSK bedrock-api-key- glc_", r"[A-Za-z0-9+/]{30,}={0,2}"),  # Amazon Bedrock, Grafana Cloud
    ("xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxe- xapp-", r"[A-Za-z0-9-]{10,}"),  # Slack
    ("hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/", r"[A-Za-z0-9+/]{20,}"),
    ("discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"\d+/[\w-]{20,}"),
    ("sk_live_ sk_test_ rk_live_ rk_test_ whsec_", r"[A-Za-z0-9+/=]{10,}"),  # Stripe
    ("sk-ant- sk-proj- sk-svcacct- sk-admin- sk-service- sk-or-v1-", r"[\w-]{20,}"),  # Anthropic, OpenAI, OpenRouter
    ("sk-", r"[A-Za-z0-9]{32,}"),  # OpenAI's former keys, and others in their form
    ("AIza", r"[\w-]{30,}"),  # Google
    ("ya29. GOCSPX-", r"[\w-]{20,}"),
    ("npm_ hf_ api_org_ gsk_ r8_", r"[A-Za-z0-9]{30,}"),  # npm, Hugging Face, Groq, Replicate
    ("pplx- lin_api_ ntn_ cfut_ cfat_", r"[A-Za-z0-9]{30,}"),  # Perplexity, Linear, Notion, Cloudflare
    ("xai-", r"[A-Za-z0-9_]{40,}"),
    ("pypi-AgE", r"[\w-]{20,}"),
    ("rubygems_ sbp_ dapi bkua_ pul-", r"[a-f0-9]{30,}"),  # RubyGems, Supabase, Databricks, Buildkite, Pulumi
    ("dop_v1_ doo_v1_ dor_v1_", r"[a-f0-9]{30,}"),  # DigitalOcean
    ("shpat_ shpca_ shppa_ shpss_", r"[a-fA-F0-9]{30,}"),  # Shopify
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),  # SendGrid
    ("SK", r"[a-f0-9]{32}(?![A-Za-z0-9])"),  # Twilio
    ("eyJ", r"[\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]*)*"),  # JSON Web Token
    ("hvs. hvb. hvr.", r"[\w-]{20,}"),  # HashiCorp Vault
    ("dckr_pat_ dckr_oat_ nfp_ pscale_tkn_ pscale_oauth_ pscale_pw_", r"[\w.=-]{20,}"),  # Docker, Netlify, PlanetScale
    ("tskey- figd_ PMAK- HRKU-AA sq0atp- sq0csp-", r"[\w-]{20,}"),  # Tailscale, Figma, Postman, Heroku, Square
    ("ATATT3 ATCTT3 AGE-SECRET-KEY-1 dp.pt. dt0c01. ops_eyJ", r"[\w.+/=-]{20,}"),  # Atlassian, age, Doppler, Dynatrace
    ("CCIPAT_ lsv2_pt_ lsv2_sk_", r"[A-Za-z0-9]{20,}_[a-f0-9]+"),  # CircleCI, LangSmith
    ("AccountKey= SharedAccessKey=", r"[A-Za-z0-9+/=]{40,}"),  # Azure
    ("sig=", r"(?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){43,}={0,2}"),  # Azure's signed URLs
    ("_authToken=", r"[\w.+/=-]{16,}"),  # .npmrc
    # New Relic, Brevo, ReadMe, Sourcegraph, Contentful, Shippo, OpenShift
    ("NRAK- xkeysib- rdme_ sgp_ CFPAT- shippo_live_ sha256~", r"[\w-]{20,}"),
    ("AKCp oy2", r"[A-Za-z0-9]{40,}"),  # Artifactory, NuGet
    ("1//0", r"[\w-]{30,}"),  # Google's refresh tokens
    ("pk.eyJ sk.eyJ tk.eyJ", r"[\w-]{20,}\.[\w-]{20,}"),  # Mapbox
    ("key-", r"[a-f0-9]{32}(?![A-Za-z0-9])"),  # Mailgun
    ("pat", r"[A-Za-z0-9]{14}\.[a-f0-9]{64}"),  # Airtable
    ("IQoJb3JpZ2lu FwoGZXIvYXdz", r"[A-Za-z0-9+/=]{50,}"),  # AWS, of a session
)
_PLAIN = tuple((prefix, rest) for prefixes, rest in PREFIXES for prefix in prefixes.split())

_KEY = r"[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
_LINE = r"[ \t>|+E-]{0,20}[A-Za-z0-9+/=]{4,}[\\nr\"',]{0,4}"  # of a key; pytest puts an E before it
# a word of it in small letters, and an expression whose group stays
SHAPES = (
    ("private key", rf"(?s)(-----BEGIN {_KEY})(?!…)(?=.{{0,100}}?[A-Za-z0-9+/]{{30}}).*?(?:-----END {_KEY}|\Z)"),
    ("private key", rf"(?m)^()(?:{_LINE}\n)*{_LINE}(?=\n[ \t>|+E-]*-----END {_KEY})"),  # its beginning was cut
    ("://", r"(://[^\s/:@\"'`<>]*:)[^\s/@\"'`<>…]+(?=@)"),
    ("authorization", r"(?i)(authorization[\\\"'b]*\s?[:=]\s?[\\\"'b]*(?:bearer|basic|token)\s)[\w.~+/=:-]{8,}+(?!…)"),
    ("bearer ", r"([Bb]earer )[\w.~+/=-]{20,}+(?!…)"),
    ("secret", r"(?i)((?:aws_?secret_?|secret_?access_?)(?:access_?)?key\W{1,8})[A-Z0-9+/]{40}(?![A-Z0-9+/])"),  # AWS
    ("q~", r"((?<![\w~.-])[\w~.-]{3}\dQ~)[\w~.-]{20,}"),  # Microsoft Entra
    (".atlasv1.", r"((?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.)[\w=-]{20,}"),  # HCP Terraform
    (":aa", r"((?<!\w)\d{8,10}:)AA[\w-]{30,}"),  # Telegram
    ("-us", r"((?<![A-Za-z0-9]))[a-f0-9]{32}-us\d{1,2}(?!\w)"),  # Mailchimp
)

_NAME = r"[\w./@+=~%#,()\[\]{}$-]+"
_IN_A_FOLDER = r"[./]\w"  # or with a suffix
_LONG = r"[\w-]{20}"  # as a secret is
# how sentences of ours begin
_OURS = (
    r"(?i)[\W_]*(?:[\u3000-\u9fff\uac00-\ud7a3]|(?:all|auto|blocked|checks?|complete|counts|current|declared"
    r"|ended|fixed|green|initial|loop|no|not"
    r"|ralph|red|rounds?|still|stopped|task|untilgreen|\d+)\b)"
)
SHORT = 500  # characters
_READ = 4_000  # characters that are looked at for them; a here-document may be a whole file


def masked(texts: Sequence[str]) -> list[str]:
    """The texts with `…(masked)` for what is secret; where unseen characters hide a secret, without these."""
    seen = [text if foreign.is_printable_ascii(text) else foreign.strip(text) for text in texts]
    whole = "\n".join((*texts, *(plain for text, plain in zip(texts, seen, strict=True) if plain is not text)))
    small = whole.lower()
    shapes = [rf"{_BEGINS}({re.escape(prefix)}){rest}" for prefix, rest in _PLAIN if prefix in whole]
    shapes += [shape for word, shape in SHAPES if word in small]

    def safe(text: str) -> str:
        for shape in shapes:
            text = re.sub(shape, r"\1…(masked)", text)
        return text

    if not shapes:
        return list(texts)
    pairs = ((text, plain, safe(plain)) for text, plain in zip(texts, seen, strict=True))
    return [told if plain is text or told != plain else safe(text) for text, plain, told in pairs]


def in_document(value: Any) -> Any:
    """What JSON can hold, with every text in it masked."""
    texts: list[str] = []
    _gathered(value, texts)
    return _filled(value, iter(masked(texts)))


def _gathered(value: Any, texts: list[str]) -> None:
    if isinstance(value, str):
        texts.append(value)
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _gathered(one, texts)


def _filled(value: Any, texts: Iterator[str]) -> Any:
    if isinstance(value, str):
        return next(texts)
    if isinstance(value, dict):
        return {name: _filled(one, texts) for name, one in value.items()}
    return [_filled(one, texts) for one in value] if isinstance(value, list) else value


def safe(text: str) -> str:
    """The text, stripped and without secrets. In this order: what nobody sees would hide one within it."""
    return masked((foreign.strip(text),))[0]


def place(file: str, line: int) -> str:
    """`file:line`, or the file alone; masked, and behind `./` if it could pass for the beginning of our words."""
    return f"{_named(file, True)}:{line}" if line else _named(file, False)


@lru_cache(maxsize=4096)
def _named(file: str, has_line: bool) -> str:
    if file and not (re.fullmatch(_NAME, file) and (has_line or re.search(_IN_A_FOLDER, file))):
        file = foreign.one_line(file)
        file = f"./{file}" if re.match(_OURS, file) and not file.startswith("/") else file
    return masked((file,))[0] if re.search(_LONG, file) else file


def short(text: str) -> str:
    """Text of others in one line of at most SHORT characters, masked before it is cut: half a secret has no shape."""
    (whole,) = masked((foreign.one_line(text[:_READ]).replace("\t", " "),))
    return whole if len(whole) <= SHORT else f"{whole[: SHORT - 1]}…"
