"""The operations of the table by boto3, one for each line of JSON on standard input: the operation's name and its arguments."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

url, region, key_id, secret, bucket = sys.argv[1:6]
s3 = boto3.client("s3", endpoint_url=url, region_name=region, aws_access_key_id=key_id, aws_secret_access_key=secret,
                  config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}, max_pool_connections=8))
parts = TransferConfig(multipart_threshold=5 * 1024 * 1024, multipart_chunksize=5 * 1024 * 1024)


def keys(prefix=""):
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    return [entry["Key"] for page in pages for entry in page.get("Contents", [])]


def abort(*_):
    upload = s3.create_multipart_upload(Bucket=bucket, Key="given up")["UploadId"]
    assert upload in [shown["UploadId"] for shown in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]]
    s3.abort_multipart_upload(Bucket=bucket, Key="given up", UploadId=upload)


def on_condition(file, key):
    try:
        s3.put_object(Bucket=bucket, Key=key, Body=Path(file).read_bytes(), IfNoneMatch="*")
    except ClientError as error:
        assert error.response["Error"]["Code"] == "PreconditionFailed", error
    else:
        raise AssertionError("it was overwritten")


def sync_up(folder):
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda path: s3.upload_file(str(path), bucket, f"sync/{path.relative_to(folder)}"), files))


def sync_down(folder, _):
    def fetch(key):
        path = Path(folder, key.removeprefix("sync/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        s3.download_file(bucket, key, str(path))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(fetch, keys("sync/")))


def delete_all():
    everything = keys()
    for start in range(0, len(everything), 1000):
        names = [{"Key": key} for key in everything[start:start + 1000]]
        failed = s3.delete_objects(Bucket=bucket, Delete={"Objects": names}).get("Errors")
        assert not failed, failed


operations = {
    "make a bucket": lambda: s3.create_bucket(Bucket=bucket),
    "list the buckets": lambda: " ".join(shown["Name"] for shown in s3.list_buckets()["Buckets"]),
    "upload": lambda file, key: s3.upload_file(file, bucket, key, Config=parts),
    "download": lambda key, file: s3.download_file(bucket, key, file, Config=parts),
    "read the details": lambda key: str(s3.head_object(Bucket=bucket, Key=key)["ContentLength"]),
    "list": lambda: "\n".join(keys()),
    "copy": lambda source, key: s3.copy({"Bucket": bucket, "Key": source}, bucket, key),
    "presign": lambda key: s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=60),
    "presign an upload": lambda key: s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": key}, ExpiresIn=60),
    "begin and abort an upload in parts": abort,
    "write on a condition": on_condition,
    "sync up": sync_up,
    "sync down": sync_down,
    "delete one": lambda key: s3.delete_object(Bucket=bucket, Key=key),
    "delete all": delete_all,
    "remove the bucket": lambda: s3.delete_bucket(Bucket=bucket),
}

for line in sys.stdin:
    name, arguments = json.loads(line)
    try:
        done = operations[name](*arguments)
        answer = {"result": done if isinstance(done, (str, bool)) else ""}
    except Exception as error:  # What went wrong is the outcome.
        answer = {"error": f"{name}: {error}"[:1500]}
    print(json.dumps(answer), flush=True)
