"""Uses the S3 protocol through boto3, as a third-party tool does. Arguments: the URL, region, key id and secret; for the session part, the
project's reference, its anonymous key and a user's token."""

import io
import sys
import urllib.error
import urllib.request
import uuid

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

url, region, key_id, secret, project, reference, anon_key, token = sys.argv[1:9]


def client(key_id, secret, token=None, **extra):
    config = Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}, read_timeout=20, **extra)
    return boto3.client("s3", endpoint_url=url, region_name=region, aws_access_key_id=key_id,
                        aws_secret_access_key=secret, aws_session_token=token, config=config)


def refused(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error.response["Error"]
    else:
        raise AssertionError(f"{code} was expected")


s3 = client(key_id, secret)
session = client(project, anon_key, token)

# Requests with wrong keys come first.
refused("SignatureDoesNotMatch", client(key_id, "wrong").list_buckets)
refused("AccessDenied", client("nobody", secret).list_buckets)
refused("AccessDenied", client(project, anon_key, "x.y.z").list_buckets)
refused("NoSuchKey", s3.get_object, Bucket="none", Key="none")
refused("AccessDenied", client("stub", anon_key, "x.y.z").list_buckets)
# Key ids: the project's reference, which tools use, and the key id of the CLI's local stack.
for key in (reference, "stub"):
    assert client(key, anon_key, token).list_buckets()["Buckets"] == []

s3.create_bucket(Bucket="s3-test")
refused("BucketAlreadyExists", s3.create_bucket, Bucket="s3-test")
assert "s3-test" in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
assert session.list_buckets()["Buckets"] == [], "a user without policies sees no bucket"
s3.head_bucket(Bucket="s3-test")
assert s3.get_bucket_location(Bucket="s3-test")["LocationConstraint"]

# An upload in one request, with metadata.
put = s3.put_object(Bucket="s3-test", Key="dir/a b+ü.txt".replace("ü", "u"), Body=b"hello", ContentType="text/html",
                    CacheControl="max-age=5", Metadata={"Colour": "red"})
assert put["ETag"] == '"5d41402abc4b2a76b9719d911017c592"'
got = s3.get_object(Bucket="s3-test", Key="dir/a b+u.txt")
assert (got["Body"].read(), got["ContentType"], got["Metadata"]) == (b"hello", "text/html", {"colour": "red"})
assert s3.get_object(Bucket="s3-test", Key="dir/a b+u.txt", Range="bytes=1-3")["Body"].read() == b"ell"
assert s3.head_object(Bucket="s3-test", Key="dir/a b+u.txt")["ContentLength"] == 5
# botocore waits for `100 Continue` even for an empty file. Without it, botocore does not find the end of the response after the next upload.
for content in (b"", b"hello", b"", b"hello"):
    s3.put_object(Bucket="s3-test", Key="dir/empty or not", Body=content)
    assert s3.get_object(Bucket="s3-test", Key="dir/empty or not")["Body"].read() == content
s3.delete_object(Bucket="s3-test", Key="dir/empty or not")
refused("InvalidKey", s3.put_object, Bucket="s3-test", Key="a#b", Body=b"x")
refused("AccessDenied", session.put_object, Bucket="s3-test", Key="mine", Body=b"x")
refused("NoSuchKey", session.get_object, Bucket="s3-test", Key="dir/a b+u.txt")

# An upload as a stream of signed chunks, and an upload whose size is not known in advance.
s3.upload_fileobj(io.BytesIO(b"x" * 100_000), "s3-test", "streamed")
assert s3.get_object(Bucket="s3-test", Key="streamed")["Body"].read() == b"x" * 100_000

# In parts.
large = bytes(range(256)) * 50_000
s3.upload_fileobj(io.BytesIO(large), "s3-test", "large",
                  Config=TransferConfig(multipart_threshold=5 * 1024 * 1024, multipart_chunksize=5 * 1024 * 1024))
got = s3.get_object(Bucket="s3-test", Key="large")
assert (got["Body"].read(), got["ETag"][-3:]) == (large, '-3"')
upload = s3.create_multipart_upload(Bucket="s3-test", Key="given-up")["UploadId"]
part = s3.upload_part(Bucket="s3-test", Key="given-up", UploadId=upload, PartNumber=1, Body=b"part")
assert s3.list_parts(Bucket="s3-test", Key="given-up", UploadId=upload)["Parts"][0]["Size"] == 4
assert s3.list_multipart_uploads(Bucket="s3-test")["Uploads"][0]["UploadId"] == upload
wrong = {"Parts": [{"PartNumber": 1, "ETag": '"0"'}]}
refused("InvalidChecksum", s3.complete_multipart_upload, Bucket="s3-test", Key="given-up", UploadId=upload, MultipartUpload=wrong)
s3.abort_multipart_upload(Bucket="s3-test", Key="given-up", UploadId=upload)
refused("NoSuchUpload", s3.list_parts, Bucket="s3-test", Key="given-up", UploadId=upload)

# A file that is replaced between two ranges of a download: newer releases of boto3 send the entity tag along with each, as it is done here.
def replaced_meanwhile(request, **_):
    ranges.append(request.headers.get("Range"))
    if len(ranges) == 2:
        client(key_id, secret).put_object(Bucket="s3-test", Key="race", Body=b"B" * 3_000_000)


ranges = []
s3.put_object(Bucket="s3-test", Key="race", Body=b"A" * 3_000_000)
racing = client(key_id, secret)
racing.meta.events.register("before-send.s3.GetObject", replaced_meanwhile)
whole = s3.head_object(Bucket="s3-test", Key="race")["ETag"]
racing.meta.events.register("before-parameter-build.s3.GetObject", lambda params, **_: params.setdefault("IfMatch", whole))
into = io.BytesIO()
refused("PreconditionFailed", racing.download_fileobj, Bucket="s3-test", Key="race", Fileobj=into,
        Config=TransferConfig(max_concurrency=1, multipart_threshold=1 << 20, multipart_chunksize=1 << 20))
assert len(ranges) >= 2 and b"B" not in into.getvalue(), "a mixture of two files"
s3.delete_object(Bucket="s3-test", Key="race")
etag = s3.head_object(Bucket="s3-test", Key="large")["ETag"]
for condition in [{"IfMatch": '"0"'}, {"IfUnmodifiedSince": "Thu, 01 Jan 2015 00:00:00 GMT"}]:
    refused("PreconditionFailed", s3.get_object, Bucket="s3-test", Key="large", **condition)
    refused("412", s3.head_object, Bucket="s3-test", Key="large", **condition)
refused("304", s3.head_object, Bucket="s3-test", Key="large", IfNoneMatch=etag)

# Listings.
s3.copy_object(Bucket="s3-test", Key="dir/sub/copy", CopySource={"Bucket": "s3-test", "Key": "dir/a b+u.txt"})
listed = s3.list_objects_v2(Bucket="s3-test", Delimiter="/")
assert [entry["Prefix"] for entry in listed["CommonPrefixes"]] == ["dir/"]
assert [entry["Key"] for entry in listed["Contents"]] == ["large", "streamed"]
pages = s3.get_paginator("list_objects_v2").paginate(Bucket="s3-test", PaginationConfig={"PageSize": 1})
keys = [entry["Key"] for page in pages for entry in page["Contents"]]
assert keys == ["dir/a b+u.txt", "dir/sub/copy", "large", "streamed"], keys
assert len(s3.list_objects(Bucket="s3-test")["Contents"]) == 4

# A form that a web page sends, with boto3's names of its fields.
def post(form, **fields):
    boundary = uuid.uuid4().hex
    parts = [(name, value) for name, value in {**form["fields"], **fields}.items()]
    body = "".join(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in parts)
    body += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="f.txt"\r\n\r\nby form\r\n--{boundary}--\r\n'
    request = urllib.request.Request(form["url"], body.encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return error.code


form = s3.generate_presigned_post("s3-test", "form/x", Conditions=[["content-length-range", 1, 100]], ExpiresIn=60)
assert post(form, key="form/y") == 403
assert post(form, **{"x-amz-meta-a": "1"}) == 403
assert post(form, policy=form["fields"]["policy"][:-4]) == 403
assert post(s3.generate_presigned_post("s3-test", "form/x", Conditions=[["content-length-range", 1, 3]])) == 413
assert post(form) == 200
assert s3.get_object(Bucket="s3-test", Key="form/x")["Body"].read() == b"by form"
s3.delete_object(Bucket="s3-test", Key="form/x")

# Presigned.
signed = s3.generate_presigned_url("get_object", Params={"Bucket": "s3-test", "Key": "dir/sub/copy"}, ExpiresIn=60)
assert urllib.request.urlopen(signed).read() == b"hello"

# Versions.
def versions(**options):
    listed = s3.list_object_versions(Bucket="versions", **options)
    shown = [(one["Key"], one["VersionId"], one["IsLatest"], one["Size"]) for one in listed.get("Versions", [])]
    return shown, [(one["Key"], one["VersionId"], one["IsLatest"]) for one in listed.get("DeleteMarkers", [])]


s3.create_bucket(Bucket="versions")
assert s3.get_bucket_versioning(Bucket="versions")["Status"] == "Suspended"
s3.put_object(Bucket="versions", Key="a", Body=b"before")
assert versions() == ([("a", "null", True, 6)], [])
refused("NoSuchBucket", s3.put_bucket_versioning, Bucket="none", VersioningConfiguration={"Status": "Enabled"})
refused("NoSuchBucket", session.put_bucket_versioning, Bucket="versions", VersioningConfiguration={"Status": "Enabled"})
refused("IllegalVersioningConfigurationException", s3.put_bucket_versioning, Bucket="versions", VersioningConfiguration={})
s3.put_bucket_versioning(Bucket="versions", VersioningConfiguration={"Status": "Enabled"})
assert s3.get_bucket_versioning(Bucket="versions")["Status"] == "Enabled"
first = s3.put_object(Bucket="versions", Key="a", Body=b"one")["VersionId"]
second = s3.put_object(Bucket="versions", Key="a", Body=b"second")["VersionId"]
s3.put_object(Bucket="versions", Key="d/b", Body=b"x")
expected = [("a", second, True, 6), ("a", first, False, 3), ("a", "null", False, 6)]
assert versions(Prefix="a") == (expected, [])
grouped = s3.list_object_versions(Bucket="versions", Delimiter="/")
assert [entry["Prefix"] for entry in grouped["CommonPrefixes"]] == ["d/"]
refused("InvalidArgument", s3.list_object_versions, Bucket="versions", VersionIdMarker=first)
refused("NoSuchBucket", s3.list_object_versions, Bucket="none")
assert "Versions" not in session.list_object_versions(Bucket="versions"), "a user without policies sees no version"
refused("NoSuchVersion", session.get_object, Bucket="versions", Key="a", VersionId=first)
refused("NoSuchVersion", s3.get_object, Bucket="versions", Key="a", VersionId="6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10")
for wanted, text in [(first, b"one"), (second, b"second"), ("null", b"before")]:
    got = s3.get_object(Bucket="versions", Key="a", VersionId=wanted)
    assert (got["Body"].read(), got["VersionId"]) == (text, wanted)
    assert s3.head_object(Bucket="versions", Key="a", VersionId=wanted)["ContentLength"] == len(text)
assert s3.get_object(Bucket="versions", Key="a")["VersionId"] == second
deleted = s3.delete_object(Bucket="versions", Key="a")
assert deleted["DeleteMarker"] and versions(Prefix="a")[1] == [("a", deleted["VersionId"], True)]
refused("NoSuchKey", s3.get_object, Bucket="versions", Key="a")
refused("MethodNotAllowed", s3.get_object, Bucket="versions", Key="a", VersionId=deleted["VersionId"])
refused("AccessDenied", session.delete_object, Bucket="versions", Key="a", VersionId=first)
gone = s3.delete_object(Bucket="versions", Key="a", VersionId=deleted["VersionId"])
assert gone["DeleteMarker"] and s3.get_object(Bucket="versions", Key="a")["Body"].read() == b"second"
copied = s3.copy_object(Bucket="versions", Key="a", CopySource={"Bucket": "versions", "Key": "a", "VersionId": first})
assert copied["CopySourceVersionId"] == first and s3.get_object(Bucket="versions", Key="a")["VersionId"] == copied["VersionId"]
# The response also contains the version id of the current version, although the request does not name a version.
current = s3.copy_object(Bucket="versions", Key="d/current", CopySource={"Bucket": "versions", "Key": "a"})
assert current["CopySourceVersionId"] == copied["VersionId"], current
pages = s3.get_paginator("list_object_versions").paginate(Bucket="versions", PaginationConfig={"PageSize": 1})
seen = [one["VersionId"] for page in pages for one in page.get("Versions", []) if one["Key"] == "a"]
assert seen == [copied["VersionId"], second, first, "null"], seen

# Lifecycle rules.
refused("NoSuchLifecycleConfiguration", s3.get_bucket_lifecycle_configuration, Bucket="versions")
refused("NoSuchBucket", session.get_bucket_lifecycle_configuration, Bucket="versions")
rules = [
    {"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "d/"}, "Expiration": {"Days": 30},
     "NoncurrentVersionExpiration": {"NoncurrentDays": 7, "NewerNoncurrentVersions": 3}},
    {"ID": "parts", "Status": "Disabled", "Filter": {"Prefix": ""}, "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 2}},
]
moving = [{"Status": "Enabled", "Filter": {"Prefix": ""}, "Transitions": [{"Days": 1, "StorageClass": "GLACIER"}]}]
tagged = [{"Status": "Enabled", "Filter": {"Tag": {"Key": "a", "Value": "b"}}, "Expiration": {"Days": 1}}]
for wrong, code in [(moving, "NotImplemented"), (tagged, "NotImplemented"), ([{**rules[0], "Expiration": {"Days": 0}}], "InvalidArgument")]:
    refused(code, s3.put_bucket_lifecycle_configuration, Bucket="versions", LifecycleConfiguration={"Rules": wrong})
refused("NoSuchBucket", session.put_bucket_lifecycle_configuration, Bucket="versions", LifecycleConfiguration={"Rules": rules})
s3.put_bucket_lifecycle_configuration(Bucket="versions", LifecycleConfiguration={"Rules": rules})
assert s3.get_bucket_lifecycle_configuration(Bucket="versions")["Rules"] == rules
s3.delete_bucket_lifecycle(Bucket="versions")
refused("NoSuchLifecycleConfiguration", s3.get_bucket_lifecycle_configuration, Bucket="versions")

# If versioning is suspended, a bucket keeps one version without a version id.
s3.put_bucket_versioning(Bucket="versions", VersioningConfiguration={"Status": "Suspended"})
assert "VersionId" not in s3.put_object(Bucket="versions", Key="a", Body=b"later")
assert [one[1] for one in versions(Prefix="a")[0]] == ["null", copied["VersionId"], second, first]
refused("ResourceNotEmpty", s3.delete_bucket, Bucket="versions")
left = s3.list_object_versions(Bucket="versions")["Versions"]
gone = s3.delete_objects(Bucket="versions", Delete={"Objects": [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in left]})
assert len(gone["Deleted"]) == 6 and versions() == ([], [])
s3.delete_bucket(Bucket="versions")

refused("ResourceNotEmpty", s3.delete_bucket, Bucket="s3-test")
deleted = s3.delete_objects(Bucket="s3-test", Delete={"Objects": [{"Key": key} for key in [*keys, "absent"]]})
assert len(deleted["Deleted"]) == 5
s3.delete_object(Bucket="s3-test", Key="absent")
s3.delete_bucket(Bucket="s3-test")
print("ok")
