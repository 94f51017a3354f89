"""The steps of a scenario. Each step is run, and its outcome is printed as one line of JSON."""

import base64
import hashlib
import hmac
import inspect
import json
import os
import struct
import sys
import time

URL = os.environ["SUPABASE_URL"]
ANON = os.environ["SUPABASE_ANON_KEY"]
SERVICE = os.environ["SUPABASE_SERVICE_ROLE_KEY"]
PASSWORD = "Greenock pier"
# 16 by 16 pixels.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mNQSFhAEmIY1TCqYfhqAACc2CAQXBvANQAAAABJRU5ErkJggg=="
)

_steps = []


def step(name):
    """Registers a function as a step of the scenario."""

    def register(function):
        _steps.append((name, function))
        return function

    return register


def _report(name, error):
    print(json.dumps({"step": name, "error": error}), flush=True)


def run():
    """Runs the steps in their order. A step that fails does not end the scenario."""
    for name, function in _steps:
        try:
            function()
            _report(name, None)
        except Exception as error:  # noqa: BLE001
            _report(name, f"{type(error).__name__}: {error}")


async def run_async():
    """Runs steps that are coroutines."""
    for name, function in _steps:
        try:
            result = function()
            if inspect.isawaitable(result):
                await result
            _report(name, None)
        except Exception as error:  # noqa: BLE001
            _report(name, f"{type(error).__name__}: {error}")
    sys.stdout.flush()


def raises(kind, function, *arguments, **options):
    """Returns the error of a call that must fail."""
    try:
        function(*arguments, **options)
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


def totp(secret):
    """The code of an authenticator app (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset : offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06d}"
