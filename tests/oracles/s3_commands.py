"""Runs random commands of aws-cli and rclone. Each command runs on Cloch and on the reference servers, which have the same history. The exit
codes, the output, the bucket and the local files must be the same afterwards.

Arguments: a JSON object with `servers` (name, url, region, key, secret of each; the first is Cloch), `rclone` (whether it is installed), `folder`,
`seed` and `steps`. The last line of the output is a JSON object with the differences that are not explained.
"""

import json
import os
import random
import re
import subprocess
import sys
import urllib.error
import urllib.request
from hashlib import md5

import boto3
from botocore.config import Config

from s3_command_generator import BUCKET, NEW, OLD, Generator
from s3_differences import COMMAND_DIFFERENCES
from s3_verdict import Verdicts

asked = json.loads(sys.argv[1])
choose = random.Random(asked["seed"])
names = [server["name"] for server in asked["servers"]]
MOMENTS = [
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"), "<time>"),
    (re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"), "<time>"),
    (re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d"), "<time>"),
]


class Server:
    """A server, its worker, and its local files."""

    def __init__(self, server):
        self.name, self.url = server["name"], server["url"]
        self.folder = os.path.join(asked["folder"], self.name)
        os.makedirs(os.path.join(self.folder, "files"))
        config = Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}, request_checksum_calculation="when_required",
                        response_checksum_validation="when_required")
        self.s3 = boto3.client("s3", endpoint_url=self.url, region_name=server["region"], aws_access_key_id=server["key"],
                               aws_secret_access_key=server["secret"], config=config)
        self.s3.create_bucket(Bucket=BUCKET)
        worker = os.path.join(os.path.dirname(__file__), "s3_worker.py")
        self.worker = subprocess.Popen([sys.executable, worker, json.dumps(server), self.folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.heads, self.names = {}, {}

    def begin(self, command):
        versions = {f"{{version {key} {index}}}": version for (key, index), version in self.versions().items()}
        own = [versions.get(word, word) for word in command]
        self.worker.stdin.write(json.dumps(own) + "\n")
        self.worker.stdin.flush()

    def outcome(self, command):
        answer = json.loads(self.worker.stdout.readline())
        shown = {"code": answer["code"], "out": self.normal(answer["out"]), "error": error_of(answer["err"])}
        if command[:3] == ["aws", "s3", "presign"] or command[:2] == ["rclone", "link"]:
            shown["out"] = fetched(answer["out"].strip()) if answer["code"] == 0 else ""
        return {**shown, "bucket": self.bucket(), "files": self.files()}

    def normal(self, text):
        """Returns the output without times, without the server's URL, and without ids that the server has generated."""
        self.versions()
        for version, name in self.names.items():
            text = text.replace(version, name)
        text = text.replace(self.url, "<url>")
        for pattern, word in MOMENTS:
            text = pattern.sub(word, text)
        if text.lstrip().startswith(("{", "[")):
            try:
                return in_order(json.loads(text))
            except ValueError:
                pass
        # A progress display overwrites its own line.
        return sorted(line.strip() for line in re.split(r"[\r\n]+", text) if line.strip() and not line.startswith("Completed "))

    def versions(self):
        """The versions of each key, the oldest first."""
        pages = self.s3.get_paginator("list_object_versions").paginate(Bucket=BUCKET)
        known, found = {}, {}
        for page in pages:
            for one in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                known.setdefault(one["Key"], []).append((one["LastModified"], one["IsLatest"], one["VersionId"]))
        for key, versions in known.items():
            for index, version in enumerate(version for *_, version in sorted(versions) if version != "null"):
                found[key, index] = version
                self.names.setdefault(version, f"<version {len(self.names)} of the server>")
        return found

    def bucket(self):
        """Objects in the bucket, with the details of each object."""
        held = {}
        for page in self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            for one in page.get("Contents", []):
                mark = one["Key"], one["ETag"], one["LastModified"]
                if mark not in self.heads:
                    head = self.s3.head_object(Bucket=BUCKET, Key=one["Key"])
                    self.heads[mark] = head["ContentLength"], head["ETag"], plain_type(head["ContentType"]), plain_metadata(head["Metadata"]), plain_control(head.get("CacheControl"))
                held[one["Key"]] = [one["Size"], *self.heads[mark]]
        return held

    def empty(self):
        for page in self.s3.get_paginator("list_object_versions").paginate(Bucket=BUCKET):
            for one in [*page.get("Versions", []), *page.get("DeleteMarkers", [])]:
                self.s3.delete_object(Bucket=BUCKET, Key=one["Key"], VersionId=one["VersionId"])

    def files(self):
        """Digests of the local files by path."""
        root, found = os.path.join(self.folder, "files"), {}
        for place, _, files in os.walk(root):
            for name in files:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = md5(file.read()).hexdigest()
        return found


def plain_type(content_type):
    """Servers use two different default types for files of unknown type. Cloch also stores a charset without the space before it."""
    return "application/octet-stream" if content_type == "binary/octet-stream" else re.sub(r";\s+", ";", content_type)


def plain_metadata(metadata):
    """rclone stores the modification time of a file in the metadata. For an object without this metadata, it shows the time at which the server
    stored the object."""
    return {key: "<now>" if key == "mtime" and float(value) not in (OLD, NEW) else value for key, value in metadata.items()}


def plain_control(cache_control):
    """Responses of Cloch have the default header `no-cache`, so that caches revalidate them."""
    return "" if cache_control in (None, "no-cache") else cache_control


def error_of(text):
    """The code of an error: its words and the names of requests are each server's own."""
    codes = re.findall(r"An error occurred \((\w+)\) when calling the (\w+)", text)
    return sorted(set(codes))


def fetched(url):
    """Response to a request without a key, by a signed link."""
    try:
        with urllib.request.urlopen(url) as answer:
            return [answer.status, plain_type(answer.headers["Content-Type"]), md5(answer.read()).hexdigest()]
    except urllib.error.HTTPError as refusal:
        return [refusal.code]


# Fields that a response may contain or lack, because clients do not depend on them.
OWN = {"ResponseMetadata", "Owner", "StorageClass", "ServerSideEncryption", "AcceptRanges", "RequestCharged", "ChecksumType", "ChecksumAlgorithm",
       "ChecksumCRC32", "ChecksumCRC64NVME", "ModTime", "Tier", "Initiator", "EncodingType", "MFADelete"}
# Values that only Cloch sends: browsers save all files except pictures and texts, and caches revalidate responses.
OWN_VALUES = {("CacheControl", "no-cache"), ("cache-control", "no-cache"), ("ContentDisposition", "attachment"), ("content-disposition", "attachment")}


def in_order(value):
    if isinstance(value, dict):
        kept = {key: in_order(one) for key, one in value.items() if key not in OWN and one not in (None, "") and (key, str(one)) not in OWN_VALUES}
        return {key: plain_type(one) if key == "ContentType" else one for key, one in kept.items()}
    if isinstance(value, list):
        return sorted((in_order(one) for one in value), key=json.dumps)
    return value


servers = [Server(server) for server in asked["servers"]]
verdicts = Verdicts(names, COMMAND_DIFFERENCES)
generator = Generator(choose, asked["rclone"])
try:
    for step in range(asked["steps"]):
        generator.change_files([os.path.join(server.folder, "files") for server in servers])
        command = generator.command(servers[0].bucket(), servers[0].versions(), servers[0].files())
        for server in servers:
            server.begin(command)
        outcomes = {server.name: server.outcome(command) for server in servers}
        if not verdicts.judge(f"{step} {' '.join(command)}", " ".join(command[:3] if command[0] == "aws" else command[:2]), command, outcomes):
            generator.begin_anew(servers)
finally:
    for server in servers:
        server.worker.stdin.close()
print(json.dumps(verdicts.figures(asked["steps"])))
