"""Runs random operations of the S3 protocol with boto3. Each operation runs on Cloch and on the reference servers, which have the same history.
Compares statuses, error codes, headers and bodies.

Arguments: a JSON object with `servers` (name, url, region, key, secret of each; the first is Cloch), `seed` and `steps`. The last line of the
output is a JSON object with the differences that are not explained."""

import base64
import hashlib
import json
import random
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from s3_differences import DIFFERENCES
from s3_verdict import Verdicts

asked = json.loads(sys.argv[1])
choose = random.Random(asked["seed"])
BUCKET = "oracle"
KEYS = ["a.txt", "b.txt", "dir/c.bin", "dir/d e.bin", "dir/sub/f", "g"]
TYPES = ["text/plain", "application/octet-stream", "image/png"]
PAST, FUTURE = "Thu, 01 Jan 2015 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"


def client(server):
    config = Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}, request_checksum_calculation="when_required",
                    response_checksum_validation="when_required")
    made = boto3.client("s3", endpoint_url=server["url"], region_name=server["region"], aws_access_key_id=server["key"],
                        aws_secret_access_key=server["secret"], config=config)
    # moto does not respond to `Expect: 100-continue`, so each upload would wait for one second.
    made.meta.events.register("before-send.s3", lambda request, **_: request.headers.pop("Expect", None) and None)
    return made


servers = {server["name"]: client(server) for server in asked["servers"]}
# Ids of started uploads and of created versions: each server uses different ids for them.
uploads, parts, versions = {}, {}, {name: {} for name in servers}
HEADERS = ["content-type", "content-length", "content-range", "content-encoding", "content-language", "content-disposition", "cache-control",
           "etag", "x-amz-mp-parts-count", "x-amz-delete-marker", "x-amz-meta-colour"]


def normal(headers):
    """Returns the response headers without the headers to which each server gives its own default value."""
    if headers["content-type"] == "binary/octet-stream":
        headers["content-type"] = "application/octet-stream"
    # Browsers save all files except pictures and texts, and caches revalidate responses.
    if headers["content-disposition"] == "attachment":
        headers["content-disposition"] = None
    control = (headers["cache-control"] or "").removesuffix("stale-while-revalidate=30").rstrip(", ")
    headers["cache-control"] = None if control in ("", "no-cache") else control
    return headers


def outcome(call, name, arguments):
    """Returns the part of a response that must be the same on all servers."""
    try:
        answer = getattr(call, name)(**arguments)
    except ClientError as error:
        answer = error.response
        code = answer["Error"]["Code"]
        return {"status": answer["ResponseMetadata"]["HTTPStatusCode"], "code": code}, answer
    meta = answer["ResponseMetadata"]
    shown = {"status": meta["HTTPStatusCode"]}
    if name in ("get_object", "head_object"):
        shown |= normal({header: meta["HTTPHeaders"].get(header) for header in HEADERS})
    if name == "put_object":
        shown["etag"] = answer.get("ETag")
    if "Body" in answer:
        shown["body"] = hashlib.md5(answer["Body"].read()).hexdigest()
    for field in ("Contents", "Versions", "DeleteMarkers"):
        if field in answer:
            shown[field] = [(one["Key"], one.get("Size"), one.get("ETag"), one.get("IsLatest")) for one in answer[field]]
    if "CommonPrefixes" in answer:
        shown["prefixes"] = [one["Prefix"] for one in answer["CommonPrefixes"]]
    for field in ("IsTruncated", "KeyCount", "MaxKeys", "Status", "TagSet"):
        if field in answer:
            shown[field] = answer[field]
    if "Deleted" in answer or "Errors" in answer:
        shown["deleted"] = sorted(one["Key"] for one in answer.get("Deleted", []))
    if "Parts" in answer:
        shown["parts"] = [(one["PartNumber"], one["Size"], one["ETag"]) for one in answer["Parts"]]
    return shown, answer


def body():
    return bytes(choose.randrange(256) for _ in range(choose.choice([0, 1, 5, 100, 3000])))


def etag_of(data):
    return f'"{hashlib.md5(data).hexdigest()}"'


state = {}


def maybe(odds, **options):
    return options if choose.random() < odds else {}


def put():
    key, data = choose.choice(KEYS), body()
    known = state.get(key)
    options = {
        **maybe(0.5, ContentType=choose.choice(TYPES)), **maybe(0.3, ContentEncoding="gzip"), **maybe(0.3, ContentLanguage="gd"),
        **maybe(0.3, ContentDisposition='attachment; filename="x.txt"'), **maybe(0.3, CacheControl="max-age=9"),
        **maybe(0.3, Metadata={"Colour": "red"}), **maybe(0.15, IfNoneMatch="*"),
        **maybe(0.15, IfMatch=choose.choice([known or '"0"', '"0"'])),
        **maybe(0.2, ContentMD5=base64.b64encode(hashlib.md5(choose.choice([data, b"other"])).digest()).decode()),
        **maybe(0.2, ChecksumAlgorithm=choose.choice(["CRC32", "SHA1", "SHA256"])),
    }
    if "IfMatch" in options:
        options.pop("IfNoneMatch", None)
    return "put_object", {"Key": key, "Body": data, **options}


def read():
    key = choose.choice([*KEYS, "absent"])
    known = state.get(key) or '"0"'
    options = {
        **maybe(0.2, IfMatch=choose.choice([known, '"0"', "*", f'"0", {known}'])),
        **maybe(0.2, IfNoneMatch=choose.choice([known, '"0"', "*", f"W/{known}", f'"0", {known}'])),
        **maybe(0.15, IfModifiedSince=choose.choice([PAST, FUTURE])), **maybe(0.15, IfUnmodifiedSince=choose.choice([PAST, FUTURE])),
        **maybe(0.4, Range=choose.choice(["bytes=0-0", "bytes=1-", "bytes=-3", "bytes=99999-", "bytes=0-1,3-4", "items=0-1", "bytes=5-2", "bytes=-0"])),
    }
    if choose.random() < 0.1:
        options.pop("Range", None)
        options["PartNumber"] = choose.choice([1, 2])
    if choose.random() < 0.2:
        options |= {"ResponseContentType": "text/css", "ResponseContentLanguage": "de"}
    return choose.choice(["get_object", "head_object"]), {"Key": key, **options}


def copy():
    source = choose.choice(KEYS)
    known = state.get(source) or '"0"'
    # Without metadata in the request, the copy has no metadata, even if it replaces a copy with metadata.
    replace = {"MetadataDirective": "REPLACE", "ContentType": "text/css", **maybe(0.6, Metadata={"colour": "blue"})}
    return "copy_object", {
        "Key": choose.choice(KEYS) + "-copy", "CopySource": {"Bucket": BUCKET, "Key": source}, **(replace if choose.random() < 0.3 else {}),
        **maybe(0.2, CopySourceIfMatch=choose.choice([known, '"0"'])), **maybe(0.2, CopySourceIfNoneMatch=choose.choice([known, '"0"'])),
        **maybe(0.1, CopySourceIfModifiedSince=choose.choice([PAST, FUTURE])), **maybe(0.1, CopySourceIfUnmodifiedSince=choose.choice([PAST, FUTURE])),
    }


def listing():
    name = choose.choice(["list_objects", "list_objects_v2", "list_objects_v2", "list_object_versions"])
    options = {**maybe(0.4, Prefix=choose.choice(["dir/", "d", "zzz"])), **maybe(0.4, Delimiter="/"), **maybe(0.4, MaxKeys=choose.choice([0, 1, 2, 1000, 5000]))}
    if name == "list_objects_v2":
        options |= maybe(0.3, StartAfter="b")
    return name, options


def delete():
    if choose.random() < 0.5:
        return "delete_object", {"Key": choose.choice([*KEYS, "absent"])}
    names = choose.sample(KEYS, 2) + ["absent"]
    return "delete_objects", {"Delete": {"Objects": [{"Key": name} for name in names], "Quiet": choose.random() < 0.3}}


def multipart():
    """A step of an upload in parts."""
    if not uploads or choose.random() < 0.25:
        return "create_multipart_upload", {"Key": choose.choice(KEYS), **maybe(0.5, ContentType="text/css"), **maybe(0.3, Metadata={"colour": "red"})}
    upload = choose.choice(list(uploads))
    key = uploads[upload]["key"]
    name = choose.choice(["upload_part", "upload_part", "list_parts", "complete_multipart_upload", "abort_multipart_upload", "upload_part_copy"])
    arguments = {"Key": key, "UploadId": upload}
    if name == "upload_part":
        arguments |= {"PartNumber": choose.choice([1, 1, 2, 10_000]), "Body": body()}
    if name == "upload_part_copy":
        arguments |= {"PartNumber": choose.choice([1, 2]), "CopySource": {"Bucket": BUCKET, "Key": choose.choice(KEYS)}}
    if name == "complete_multipart_upload":
        listed = sorted(parts.get(upload, {}).items())[:choose.choice([1, 1, 2])]
        arguments["MultipartUpload"] = {"Parts": [{"PartNumber": number, "ETag": etag} for number, etag in listed] or [{"PartNumber": 1, "ETag": '"0"'}]}
    return name, arguments


def bucket():
    return choose.choice([("head_bucket", {}), ("get_bucket_location", {}), ("get_object_tagging", {"Key": choose.choice(KEYS)}),
                          ("list_multipart_uploads", {}), ("head_bucket", {"Bucket": "no-such-bucket"}),
                          ("list_objects_v2", {"Bucket": "no-such-bucket"}), ("get_object", {"Bucket": "no-such-bucket", "Key": "a"}),
                          ("create_bucket", {})])


def of_server(server, arguments):
    """The arguments with the server's own id of an upload."""
    upload = arguments.get("UploadId")
    return {"Bucket": BUCKET, **arguments, **({"UploadId": uploads[upload][server]} if upload else {})}


for s3 in servers.values():
    s3.create_bucket(Bucket=BUCKET)
verdicts = Verdicts(list(servers), DIFFERENCES)
STEPS = [put] * 5 + [read] * 8 + [copy] * 2 + [listing] * 3 + [delete] + [multipart] * 5 + [bucket]
for step in range(asked["steps"]):
    name, arguments = choose.choice(STEPS)()
    shown, answers = {}, {}
    for server, s3 in servers.items():
        shown[server], answers[server] = outcome(s3, name, of_server(server, arguments))
    told = {key: (value if not isinstance(value, bytes) else len(value)) for key, value in arguments.items()}
    verdicts.judge(f"{step} {name} {told}", name, arguments, shown)
    all_did = all(one["status"] < 300 for one in shown.values())
    if "Key" in arguments and any(one["status"] < 300 for one in shown.values()) and not all_did and name not in ("get_object", "head_object"):
        # The servers now have different contents for this key, so the test continues with an empty bucket.
        for s3 in servers.values():
            s3.delete_object(Bucket=BUCKET, Key=arguments["Key"])
        state.pop(arguments["Key"], None)
    elif all_did and name == "put_object":
        state[arguments["Key"]] = answers["cloch"].get("ETag")
    elif all_did and name == "copy_object":
        state.pop(arguments["Key"], None)
    elif name in ("delete_object", "delete_objects"):
        for key in [arguments.get("Key"), *[one["Key"] for one in arguments.get("Delete", {}).get("Objects", [])]]:
            state.pop(key, None)
    if all_did and name == "create_multipart_upload":
        upload = f"upload {step}"
        uploads[upload] = {"key": arguments["Key"], **{server: answer["UploadId"] for server, answer in answers.items()}}
        parts[upload] = {}
    elif all_did and name in ("upload_part", "upload_part_copy"):
        etag = answers["cloch"].get("ETag") or answers["cloch"].get("CopyPartResult", {}).get("ETag")
        if etag is None:
            verdicts.faults.append(f"{step} {name} {of_server('cloch', arguments)}: no entity tag in {answers['cloch']}")
        else:
            parts[arguments["UploadId"]][arguments["PartNumber"]] = etag
    elif name in ("complete_multipart_upload", "abort_multipart_upload") and any(one["status"] < 300 for one in shown.values()):
        for server, s3 in servers.items():
            if shown[server]["status"] >= 300:
                s3.abort_multipart_upload(Bucket=BUCKET, Key=arguments["Key"], UploadId=uploads[arguments["UploadId"]][server])
        state.pop(arguments["Key"], None)
        uploads.pop(arguments["UploadId"]), parts.pop(arguments["UploadId"])
print(json.dumps(verdicts.figures(asked["steps"])))
