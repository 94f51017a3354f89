"""Known differences between the responses of Cloch and of the reference servers. Each entry contains the server that differs, a reason, and a
condition on the operation, its arguments, Cloch's outcome and the reference's outcome. An entry for a reference server is used only if the
references disagree. If all references agree and Cloch differs, an entry for Cloch is required."""

CONDITIONS = ("IfMatch", "IfNoneMatch", "IfModifiedSince", "IfUnmodifiedSince")


def statuses(ours, theirs):
    return ours["status"], theirs["status"]


def codes(ours, theirs):
    return ours.get("code"), theirs.get("code")


def only(ours, theirs, *fields):
    """Whether the two outcomes differ only in the given fields."""
    return all(ours.get(name) == theirs.get(name) for name in {*ours, *theirs} - set(fields))


def is_of_parts(etag):
    """Whether an entity tag is that of an upload in parts: a dash and the number of parts."""
    return "-" in (etag or "")


def only_etags_of_parts(ours, theirs):
    """Whether the two outcomes differ only in entity tags, and each differing tag on Cloch belongs to a multipart upload."""
    listings = [field for field in ("Contents", "Versions") if field in ours and field in theirs]
    if "etag" in ours:
        return only(ours, theirs, "etag") and is_of_parts(ours["etag"])
    if not only(ours, theirs, "MaxKeys", *listings) or any(len(ours[field]) != len(theirs[field]) for field in listings):
        return False
    pairs = [pair for field in listings for pair in zip(ours[field], theirs[field])]
    return all(own == other or (own[:2] == other[:2] and own[3] == other[3] and is_of_parts(own[2])) for own, other in pairs)


DIFFERENCES = [
    ("moto", "moto, as Amazon, gives the copy of an upload in parts a new entity tag; Ceph and Cloch keep the tag, so that no content is read",
        lambda name, asked, ours, theirs: only_etags_of_parts(ours, theirs)),
    ("moto", "moto ignores If-Match of PutObject", lambda name, asked, ours, theirs:
        name == "put_object" and "IfMatch" in asked and ours["status"] in (404, 412) and theirs["status"] == 200),
    ("moto", "moto checks no Content-MD5", lambda name, asked, ours, theirs:
        name == "put_object" and "ContentMD5" in asked and codes(ours, theirs) == ("BadDigest", None)),
    ("cloch", "a copy's conditions hold, as with Amazon: moto ignores them, and Ceph has other names for them", lambda name, asked, ours, theirs:
        any(one.startswith("CopySourceIf") for one in asked) and ours.get("code") == "PreconditionFailed" and theirs["status"] == 200),
    ("moto", "moto ignores Quiet, with which Amazon names refusals only", lambda name, asked, ours, theirs:
        name == "delete_objects" and asked["Delete"]["Quiet"] and statuses(ours, theirs) == (200, 200)),
    ("moto", "moto shows folders on a page of no entries", lambda name, asked, ours, theirs:
        asked.get("MaxKeys") == 0 and only(ours, theirs, "prefixes", "IsTruncated", "KeyCount")),
    ("cloch", "a missing bucket and a missing object are one to whoever reads, as with Supabase's storage", lambda name, asked, ours, theirs:
        name in ("get_object", "get_object_tagging") and codes(ours, theirs) == ("NoSuchKey", "NoSuchBucket")),
    ("moto", "moto has no code for the missing source of a copy", lambda name, asked, ours, theirs:
        "CopySource" in asked and ours["status"] == theirs["status"] == 404),
    ("cloch", "Supabase's storage has its own code for a part that is not there", lambda name, asked, ours, theirs:
        name == "complete_multipart_upload" and statuses(ours, theirs) == (400, 400)),
    ("moto", "moto demands parts of 5 MiB", lambda name, asked, ours, theirs:
        name == "complete_multipart_upload" and theirs.get("code") == "EntityTooSmall"),
    ("cloch", "more than 1,000 keys count as 1,000, as with Amazon; moto repeats the number", lambda name, asked, ours, theirs:
        asked.get("MaxKeys") == 5000 and only(ours, theirs, "MaxKeys")),
    ("moto", "moto's pages of versions end elsewhere with a delimiter", lambda name, asked, ours, theirs:
        name == "list_object_versions" and "MaxKeys" in asked and "Delimiter" in asked),
    ("cloch", "keys and folders count as one page, as with Amazon; moto counts them apart", lambda name, asked, ours, theirs:
        name == "list_objects" and "MaxKeys" in asked and "Delimiter" in asked),
    ("cloch", "a bucket that is there is refused outside of us-east-1", lambda name, asked, ours, theirs:
        name == "create_bucket" and statuses(ours, theirs) == (409, 200)),
    ("cloch", "lists of entity tags and weak ones are what RFC 9110 says, and no single tags", lambda name, asked, ours, theirs:
        any("," in asked.get(one, "") or asked.get(one, "").startswith(("W/", "*")) for one in ("IfMatch", "IfNoneMatch"))),
    ("moto", "moto evaluates a date beside an entity tag", lambda name, asked, ours, theirs:
        ("IfMatch" in asked and "IfUnmodifiedSince" in asked) or ("IfNoneMatch" in asked and "IfModifiedSince" in asked)),
    ("cloch", "a range that ends before it begins is none and is ignored (RFC 9110, 14.1.1)", lambda name, asked, ours, theirs:
        asked.get("Range") == "bytes=5-2" and statuses(ours, theirs) == (200, 416)),
    ("cloch", "a range of an unknown unit is ignored (RFC 9110, 14.2); moto and Ceph refuse it for an empty object", lambda name, asked, ours, theirs:
        asked.get("Range") == "items=0-1" and statuses(ours, theirs) == (200, 416) and ours["content-length"] == "0"),
    ("moto", "moto refuses several ranges and what is no range", lambda name, asked, ours, theirs:
        asked.get("Range") in ("bytes=0-1,3-4", "items=0-1", "bytes=5-2", "bytes=-0") and theirs["status"] in (200, 206, 400, 416, 500)),
    ("moto", "moto has no range for an empty object", lambda name, asked, ours, theirs:
        "Range" in asked and {ours["status"], theirs["status"]} & {416}),
    ("moto", "moto evaluates the range before the conditions", lambda name, asked, ours, theirs:
        "Range" in asked and any(one in asked for one in CONDITIONS) and theirs["status"] == 416),
    ("cloch", "parts of an object are read by their numbers, as with Amazon; moto knows some, and Ceph's version none", lambda name, asked, ours, theirs:
        "PartNumber" in asked and ours["status"] in (200, 206, 416) and theirs["status"] in (200, 206, 416, 500)),
    ("ceph", "Ceph answers 412 to If-Match of a key that is not there, Amazon 404", lambda name, asked, ours, theirs:
        name == "put_object" and "IfMatch" in asked and statuses(ours, theirs) == (404, 412)),
    ("ceph", "Ceph compares If-Match of PutObject with its quotes, and never finds it", lambda name, asked, ours, theirs:
        name == "put_object" and "IfMatch" in asked and statuses(ours, theirs) == (200, 412)),
    ("ceph", "Ceph compares Content-MD5 before If-Match", lambda name, asked, ours, theirs:
        {"IfMatch", "ContentMD5"} <= {*asked} and theirs.get("code") == "BadDigest"),
    ("ceph", "Ceph wants all parts in CompleteMultipartUpload", lambda name, asked, ours, theirs:
        name == "complete_multipart_upload" and (ours["status"], theirs.get("code")) == (200, "InvalidPart")),
    ("ceph", "Ceph answers otherwise to ranges that are none, and has none of an empty object", lambda name, asked, ours, theirs:
        asked.get("Range") in ("bytes=5-2", "items=0-1", "bytes=-0", "bytes=0-1,3-4") or ("Range" in asked and ours.get("content-length") == "0")),
    ("ceph", "Ceph evaluates If-Modified-Since before If-Unmodified-Since", lambda name, asked, ours, theirs:
        {"IfModifiedSince", "IfUnmodifiedSince"} <= {*asked} and statuses(ours, theirs) == (412, 304)),
    ("moto", "moto has no overrides of HeadObject, or not with a range", lambda name, asked, ours, theirs:
        "ResponseContentType" in asked and only(ours, theirs, "content-type", "content-language")),
]

COMMAND_DIFFERENCES = [
    ("cloch", "a bucket that never had versions has suspended them, as with Supabase's storage", lambda name, asked, ours, theirs:
        name == "aws s3api get-bucket-versioning" and only(ours, theirs, "out") and theirs["out"] == []),
    ("cloch", "a bucket lies in the project's region", lambda name, asked, ours, theirs:
        name in ("aws s3api get-bucket-location", "aws s3api head-bucket") and only(ours, theirs, "out")),
    ("ceph", "Ceph's errors have no message, on which aws-cli ends with an error of its own", lambda name, asked, ours, theirs:
        theirs["error"] == [] and ours["code"] != 0 and only(ours, theirs, "error", "code")),
    ("ceph", "Ceph writes the entity tag of a copy without quotes", lambda name, asked, ours, theirs:
        name == "aws s3api copy-object" and only(ours, theirs, "out")),
    ("moto", "moto does not say that a deleted version was a delete marker", lambda name, asked, ours, theirs:
        name == "aws s3api delete-object" and only(ours, theirs, "out")),
    ("moto", "moto does not answer rclone's upload in parts as rclone expects", lambda name, asked, ours, theirs:
        asked[0] == "rclone" and (ours["code"], theirs["code"]) == (0, 1) and any(held[0] > 5_000_000 for held in ours["bucket"].values())),
]
