"""A real SMTP server for the tests. It receives and parses messages, and prints each message as a line of JSON.

    smtp_server.py [--tls starttls|implicit] [--cert FILE --key FILE] [--login USER:PASSWORD]

The first line of the output is {"port": N}. The local part of the recipient's address determines the response: refused@ is refused permanently,
later@ is refused temporarily, slow@ is answered after 30 s, and for drop@ the connection is closed in the middle of the message.
"""

import argparse
import asyncio
import json
import logging
import ssl
import warnings
from email import message_from_bytes, policy

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        match address.split("@")[0]:
            case "refused":
                return "550 5.1.1 no such mailbox"
            case "later":
                return "451 4.7.1 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        names = [address.split("@")[0] for address in envelope.rcpt_tos]
        if "slow" in names:
            await asyncio.sleep(30)
        if "drop" in names:
            server.transport.abort()
            return "421 gone"
        encrypted = server.transport.get_extra_info("ssl_object") is not None
        print(json.dumps(describe(session, envelope, encrypted)), flush=True)
        return "250 2.0.0 taken as 42"


def describe(session, envelope, encrypted):
    mail = message_from_bytes(envelope.content, policy=policy.default)
    plain, html = mail.get_body(("plain",)), mail.get_body(("html",))
    return {
        "mail_from": envelope.mail_from,
        "rcpt_tos": envelope.rcpt_tos,
        "tls": encrypted,
        "login": session.authenticated,
        "headers": {name.lower(): str(value) for name, value in mail.items()},
        "header_names": [name.lower() for name in mail.keys()],
        "text": plain and plain.get_content(),
        "html": html and html.get_content(),
        "files": [
            {
                "name": part.get_filename(),
                "type": part.get_content_type(),
                "hex": part.get_payload(decode=True).hex(),
            }
            for part in mail.iter_attachments()
        ],
    }


async def main():
    # Suppress log output: some tests cause failed handshakes and logins.
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tls", choices=["starttls", "implicit"])
    arguments.add_argument("--cert")
    arguments.add_argument("--key")
    arguments.add_argument("--login")
    options = arguments.parse_args()

    context = None
    if options.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.cert, options.key)
    expected = options.login.encode().split(b":", 1) if options.login else None

    def authenticate(server, session, envelope, mechanism, data):
        right = isinstance(data, LoginPassword) and [data.login, data.password] == expected
        return AuthResult(success=right, handled=False)

    def factory():
        return SMTP(
            Handler(),
            hostname="mail.test",
            tls_context=context if options.tls == "starttls" else None,
            require_starttls=options.tls == "starttls",
            authenticator=authenticate if expected else None,
            auth_required=bool(expected),
            auth_require_tls=bool(options.tls == "starttls"),
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        factory, "127.0.0.1", 0, ssl=context if options.tls == "implicit" else None
    )
    print(json.dumps({"port": server.sockets[0].getsockname()[1]}), flush=True)
    await server.serve_forever()


asyncio.run(main())
