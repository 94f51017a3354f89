"""Runs the commands of aws-cli and rclone for one S3 server, in a separate folder.

aws-cli runs inside this process as a Python package, because starting the program takes longer than the command itself. Each line of the input
is a JSON array, the command; each line of the output a JSON object with `code`, `out` and `err`. Arguments: the server's name, url, region, key
and secret as a JSON object, and the folder.
"""

import io
import json
import os
import subprocess
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout

server, folder = json.loads(sys.argv[1]), sys.argv[2]
path = os.environ["PATH"]
# The comparison must not depend on this machine's own settings. For example, rclone refuses to start with AWS_CA_BUNDLE.
os.environ.clear()
os.environ.update({
    "PATH": path,
    "AWS_ACCESS_KEY_ID": server["key"], "AWS_SECRET_ACCESS_KEY": server["secret"], "AWS_DEFAULT_REGION": server["region"],
    "AWS_ENDPOINT_URL": server["url"], "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1", "AWS_PAGER": "", "COLUMNS": "300",
    "AWS_CONFIG_FILE": os.path.join(folder, "aws-config"), "AWS_SHARED_CREDENTIALS_FILE": os.path.join(folder, "none"),
    "AWS_REQUEST_CHECKSUM_CALCULATION": "when_required", "AWS_RESPONSE_CHECKSUM_VALIDATION": "when_required", "LC_ALL": "C.UTF-8",
    "RCLONE_CONFIG": os.path.join(folder, "rclone.conf"), "RCLONE_S3_PROVIDER": "Other", "RCLONE_S3_ENDPOINT": server["url"],
    "RCLONE_S3_REGION": server["region"], "RCLONE_S3_ENV_AUTH": "true", "RCLONE_S3_FORCE_PATH_STYLE": "true", "RCLONE_RETRIES": "1",
    "RCLONE_LOW_LEVEL_RETRIES": "1", "RCLONE_EXPECT_CONTINUE_TIMEOUT": "0", "RCLONE_TRANSFERS": "1", "RCLONE_CHECKERS": "1",
    "RCLONE_S3_UPLOAD_CUTOFF": "5M", "RCLONE_S3_CHUNK_SIZE": "5M", "HOME": folder,
})
with open(os.environ["AWS_CONFIG_FILE"], "w") as config:
    config.write("[default]\ns3 =\n  addressing_style = path\n  multipart_threshold = 5MB\n  multipart_chunksize = 5MB\n  max_concurrent_requests = 1\n")
open(os.environ["RCLONE_CONFIG"], "w").close()
os.chdir(os.path.join(folder, "files"))

import botocore.handlers
from awscli.clidriver import create_clidriver

if server["name"] == "moto":
    # This server does not respond to `Expect: 100-continue`, so each upload would wait for one second.
    botocore.handlers.BUILTIN_HANDLERS = [one for one in botocore.handlers.BUILTIN_HANDLERS if one[1] is not botocore.handlers.add_expect_header]


class Output(io.TextIOWrapper):
    """An object like standard output for aws-cli: it accepts text, and its `buffer` accepts bytes."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self):
        self.flush()
        return self.buffer.getvalue().decode("utf-8", "replace")


def aws(arguments):
    out, err = Output(), Output()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = create_clidriver().main(arguments)
        except SystemExit as ended:
            code = ended.code
        except BaseException:
            traceback.print_exc()
            code = 255
    return {"code": code or 0, "out": out.text(), "err": err.text()}


def other(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return {"code": done.returncode, "out": done.stdout.decode("utf-8", "replace"), "err": done.stderr.decode("utf-8", "replace")}


answers = sys.stdout
for line in sys.stdin:
    command = json.loads(line)
    print(json.dumps(aws(command[1:]) if command[0] == "aws" else other(command)), file=answers, flush=True)
