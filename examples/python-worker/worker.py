#!/usr/bin/env python3
"""Counts the words of documents that wait in a queue. Needs Python 3.9 or newer and no packages. Any number of workers can run."""
import json
import os
import re
import signal
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("SUPABASE_URL", "http://127.0.0.1:54321")
KEY = os.environ.get("SUPABASE_SECRET_KEY") or sys.exit("failed: SUPABASE_SECRET_KEY is missing: cloch status shows it")
IDLE_SECONDS = 1
RETRY_SECONDS = 5
TIMEOUT_SECONDS = 20


def call(function, **arguments):
    """Calls a function of the database. The secret key has the role service_role."""
    request = urllib.request.Request(
        f"{URL}/rest/v1/rpc/{function}",
        data=json.dumps(arguments).encode(),
        headers={"apikey": KEY, "content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        return json.loads(response.read() or "null")


def work_once():
    """Processes one job. Returns False if the queue is empty."""
    jobs = call("take_job")
    if not jobs:
        return False
    job = jobs[0]
    words = len(re.findall(r"\w+", job["body"]))
    # If the worker is killed before this call, the message stays in the queue, and another worker counts the words again.
    call("finish_job", message=job["message"], document=job["document"], words=words)
    print(f"document {job['document']}: {words} words", flush=True)
    return True


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        try:
            if not work_once():
                time.sleep(IDLE_SECONDS)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                sys.exit(f"failed: the key is refused: {error.read().decode()}")
            print(f"failed: {error}, retrying", file=sys.stderr, flush=True)
            time.sleep(RETRY_SECONDS)
        except OSError as error:
            print(f"failed: {error}, retrying", file=sys.stderr, flush=True)
            time.sleep(RETRY_SECONDS)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
