"""Receipts signed by sigstore, as DSSE, by who a job of CI is (OIDC). Needs the extra untilgreen[attest]."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from untilgreen.cli.receipts.signatures import Signer
from untilgreen.core import secrets
from untilgreen.core.errors import UserError

try:
    from cryptography.x509 import SubjectAlternativeName
    from sigstore.dsse import Statement
    from sigstore.errors import VerificationError
    from sigstore.models import Bundle, ClientTrustConfig
    from sigstore.oidc import IdentityToken, detect_credential
    from sigstore.sign import SigningContext
    from sigstore.verify import Verifier, policy
except ModuleNotFoundError:
    raise UserError("a bundle needs the package sigstore", "pip install 'untilgreen[attest]'") from None

_GIVE = "GitHub: permissions: id-token: write; GitLab: id_tokens: SIGSTORE_ID_TOKEN: aud: sigstore"


class _Stated(Statement):
    """Bytes as they are: the library's model of a subject lacks gitCommit and gitTree, which in-toto names."""

    def __init__(self, contents: bytes) -> None:
        self._contents = contents


def trusted(path: str | None) -> ClientTrustConfig:
    """Whom to ask and whom to believe: sigstore's public service, or what a file says. Raises UserError."""
    with _in_a_line("sigstore's root of trust cannot be read", "see to the network, or to the file of --trust-config"):
        return ClientTrustConfig.from_json(Path(path).read_text("utf-8")) if path else ClientTrustConfig.production()


def identity() -> IdentityToken:
    """Who this job is. Never asks a person. Raises UserError where nobody says."""
    with _in_a_line("there is no identity to sign with", _GIVE):
        if token := detect_credential():
            return IdentityToken(token)
    raise UserError("there is no identity to sign with: this is no job of CI that has one", _GIVE)


def sign(text: bytes, config: ClientTrustConfig) -> tuple[str, Signer]:
    """A bundle of this Statement, and who signed it. Raises UserError."""
    token = identity()
    with _in_a_line("sigstore did not sign", "see to the network, then try again"):
        with SigningContext.from_trust_config(config).signer(token) as signer:
            bundle = signer.sign_dsse(_Stated(text))
        names = bundle.signing_certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
        return bundle.to_json(), Signer("signed", str(next(iter(names)).value), token.issuer)


def check(text: bytes, who: str, issuer: str, config: ClientTrustConfig) -> tuple[bytes, Signer]:
    """The Statement in a bundle, b"" where it is not what was signed; who signed it. Raises UserError for no bundle."""
    with _in_a_line("this is no bundle", "untilgreen check --attest FILE, in CI"):
        bundle = Bundle.from_json(text)
    anyone: Any = SimpleNamespace(verify=lambda _: None)  # whose it is comes after: another's is no forgery
    try:
        kind, stated = Verifier(trusted_root=config.trusted_root).verify_dsse(bundle, anyone)
    except Exception as error:  # noqa: BLE001 - a crafted one raises anything, and none of it is a yes
        return b"", Signer("edited", key=f"{type(error).__name__}: {error}"[:200])
    if kind != "application/vnd.in-toto+json":
        return b"", Signer("edited", key=f"it holds {kind}")
    try:
        policy.Identity(identity=who, issuer=issuer).verify(bundle.signing_certificate)
    except VerificationError as error:
        return stated, Signer("unknown", key=str(error))
    return stated, Signer("signed", who, issuer)


@contextmanager
def _in_a_line(what: str, fix: str) -> Iterator[None]:
    """What the library raises, of many kinds, as a line."""
    try:
        yield
    except Exception as error:
        raise UserError(f"{what}: {type(error).__name__}: {secrets.safe(str(error))}", fix) from error
