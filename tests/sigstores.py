"""A sigstore on the loopback interface: the token of a job at GitHub, Fulcio, its CT log, and Rekor v1, as they are
documented. Each keeps a key; the library verifies with the root of trust that is made of them."""

import base64
import datetime as dt
import hashlib
import json
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import rfc8785
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ISSUER = "https://token.actions.githubusercontent.com"
WORKFLOW = "https://github.com/own/shop/.github/workflows/green.yml@refs/heads/main"
_SCTS, _ISSUER = x509.ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2"), x509.ObjectIdentifier("1.3.6.1.4.1.57264.1.1")
_DER, _SHA256 = serialization.Encoding.DER, ec.ECDSA(hashes.SHA256())


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


class Key:
    """A key of a service, and its id: the digest of its public half."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.public = self.private.public_key().public_bytes(_DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.id = hashlib.sha256(self.public).digest()

    def sign(self, data: bytes) -> bytes:
        return self.private.sign(data, _SHA256)

    def log(self, url: str, start: str) -> dict[str, Any]:
        """A log in a trusted root."""
        key = {"rawBytes": b64(self.public), "keyDetails": "PKIX_ECDSA_P256_SHA_256", "validFor": {"start": start}}
        return {"baseUrl": url, "hashAlgorithm": "SHA2_256", "publicKey": key, "logId": {"keyId": b64(self.id)}}


class Sigstore(ThreadingHTTPServer):
    """It has state: what it was asked for, by path."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.ca, self.ct, self.rekor = Key(), Key(), Key()
        self.now = dt.datetime.now(dt.UTC).replace(microsecond=0)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
        root = self._certificate(name, self.ca, self.ca.private.public_key(), days=1)
        self.root = (
            root.add_extension(x509.BasicConstraints(True, None), True)
            .add_extension(_usage(ca=True), True)
            .sign(self.ca.private, hashes.SHA256())
        )

    def env(self, audience: str = "sigstore") -> dict[str, str]:
        """What a job at GitHub with `id-token: write` has."""
        url = f"{self.url}/token?api-version=2.0&for={audience}"
        return {"GITHUB_ACTIONS": "true", "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "x", "ACTIONS_ID_TOKEN_REQUEST_URL": url}

    def trust(self, path: Path) -> Path:
        """The ClientTrustConfig of it, in a file."""
        start = (self.now - dt.timedelta(hours=1)).isoformat().replace("+00:00", "Z")
        service = {"url": self.url, "majorApiVersion": 1, "validFor": {"start": start}, "operator": "loopback"}
        authority = {
            "subject": {"organization": "loopback", "commonName": "loopback"},
            "uri": self.url,
            "certChain": {"certificates": [{"rawBytes": b64(self.root.public_bytes(_DER))}]},
            "validFor": {"start": start},
        }
        trusted = {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [self.rekor.log(self.url, start)],
            "certificateAuthorities": [authority],
            "ctlogs": [self.ct.log(self.url, start)],
        }
        signing = {
            "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
            **{name: [service] for name in ("caUrls", "rekorTlogUrls")},
            "rekorTlogConfig": {"selector": "ANY"},
        }
        kind = "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json"
        path.write_text(json.dumps({"mediaType": kind, "trustedRoot": trusted, "signingConfig": signing}))
        return path

    def token(self) -> dict[str, str]:
        now = int(time.time())
        claims = {
            "iss": ISSUER,
            "aud": "sigstore",
            "sub": "repo:own/shop:ref:refs/heads/main",
            "iat": now,
            "exp": now + 300,
        }
        parts = ({"alg": "RS256", "typ": "JWT"}, {**claims, "job_workflow_ref": WORKFLOW})
        encoded = (base64.urlsafe_b64encode(json.dumps(one).encode()).rstrip(b"=").decode() for one in parts)
        return {"value": ".".join((*encoded, "c2ln"))}

    def certificate(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What Fulcio issues: for ten minutes, with the timestamp of its log in it."""
        request = x509.load_pem_x509_csr(base64.b64decode(asked["certificateSigningRequest"]))
        key: Any = request.public_key()
        leaf = self._certificate(x509.Name([]), self.ca, key, days=0).add_extension(_usage(ca=False), True)
        leaf = leaf.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), False)
        leaf = leaf.add_extension(x509.SubjectAlternativeName([x509.UniformResourceIdentifier(WORKFLOW)]), True)
        leaf = leaf.add_extension(x509.UnrecognizedExtension(_ISSUER, ISSUER.encode()), False)
        before = leaf.sign(self.ca.private, hashes.SHA256()).tbs_certificate_bytes
        head = struct.pack("!BBQH", 0, 0, int(self.now.timestamp() * 1000), 1)
        signature = self.ct.sign(head + self.ca.id + len(before).to_bytes(3) + before + b"\0\0")
        one = b"\0" + self.ct.id + head[2:10] + b"\0\0" + b"\x04\x03" + len(signature).to_bytes(2) + signature
        scts = (len(one) + 2).to_bytes(2) + len(one).to_bytes(2) + one
        whole = leaf.add_extension(x509.UnrecognizedExtension(_SCTS, b"\x04" + bytes([len(scts)]) + scts), False)
        chain = (whole.sign(self.ca.private, hashes.SHA256()), self.root)
        pem = [one.public_bytes(serialization.Encoding.PEM).decode() for one in chain]
        return {"signedCertificateEmbeddedSct": {"chain": {"certificates": pem}}}

    def entry(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What Rekor v1 makes of a proposed `dsse`: the only leaf of a log."""
        proposed = asked["spec"]["proposedContent"]
        envelope = json.loads(proposed["envelope"])
        spec: Any = {
            "envelopeHash": {"algorithm": "sha256", "value": hashlib.sha256(proposed["envelope"].encode()).hexdigest()},
            "payloadHash": {
                "algorithm": "sha256",
                "value": hashlib.sha256(base64.b64decode(envelope["payload"])).hexdigest(),
            },
            "signatures": [{"signature": envelope["signatures"][0]["sig"], "verifier": proposed["verifiers"][0]}],
        }
        body = rfc8785.dumps({"apiVersion": "0.0.1", "kind": "dsse", "spec": spec})
        top = hashlib.sha256(b"\0" + body).digest()
        note = f"loopback - 1\n1\n{b64(top)}\n"
        signed = b64(self.rekor.id[:4] + self.rekor.sign(note.encode()))
        entry: Any = {
            "body": b64(body),
            "integratedTime": int(time.time()),
            "logID": self.rekor.id.hex(),
            "logIndex": 0,
        }
        promise = b64(self.rekor.sign(rfc8785.dumps(entry)))
        proof = {"logIndex": 0, "treeSize": 1, "rootHash": top.hex(), "hashes": []}
        proof["checkpoint"] = f"{note}\n\N{EM DASH} loopback {signed}\n"
        return {"uuid": {**entry, "verification": {"inclusionProof": proof, "signedEntryTimestamp": promise}}}

    def _certificate(self, name: x509.Name, by: Key, key: Any, days: int) -> x509.CertificateBuilder:
        issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
        length = dt.timedelta(days=days, minutes=10)
        made = x509.CertificateBuilder(
            issuer, name, key, x509.random_serial_number(), self.now - length, self.now + length
        )
        made = made.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), False)
        return made.add_extension(x509.AuthorityKeyIdentifier(hashlib.sha1(by.public[26:]).digest(), None, None), False)


def _usage(*, ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(not ca, False, False, False, False, ca, ca, False, False)


class _Answers(BaseHTTPRequestHandler):
    server: Sigstore

    def do_GET(self) -> None:
        assert self.headers["Authorization"] == "bearer x"
        self._answer({"/token": self.server.token}[self.path.partition("?")[0]]())

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, asked))
        made = {"/api/v2/signingCert": self.server.certificate, "/api/v1/log/entries": self.server.entry}
        self._answer(made[self.path](asked), 201)

    def _answer(self, document: dict[str, Any], status: int = 200) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served() -> Iterator[Sigstore]:
    with Sigstore() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()
