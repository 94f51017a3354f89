"""What Cloch and moto answer differently, and why it may: a reason, and a condition on the operation, its arguments and both outcomes."""

CONDITIONS = ("IfMatch", "IfNoneMatch", "IfModifiedSince", "IfUnmodifiedSince")


def statuses(ours, theirs):
    return ours["status"], theirs["status"]


def codes(ours, theirs):
    return ours.get("code"), theirs.get("code")


def only(ours, theirs, *fields):
    """Whether nothing but some fields differs."""
    return all(ours.get(name) == theirs.get(name) for name in {*ours, *theirs} - set(fields))


DIFFERENCES = [
    ("moto ignores If-Match of PutObject", lambda name, asked, ours, theirs:
        name == "put_object" and "IfMatch" in asked and ours["status"] in (404, 412) and theirs["status"] == 200),
    ("moto checks no Content-MD5", lambda name, asked, ours, theirs:
        name == "put_object" and "ContentMD5" in asked and codes(ours, theirs) == ("BadDigest", None)),
    ("moto ignores the conditions of a copy's source", lambda name, asked, ours, theirs:
        any(one.startswith("CopySourceIf") for one in asked) and ours.get("code") == "PreconditionFailed" and theirs["status"] == 200),
    ("moto ignores Quiet, with which Amazon names refusals only", lambda name, asked, ours, theirs:
        name == "delete_objects" and asked["Delete"]["Quiet"] and statuses(ours, theirs) == (200, 200)),
    ("moto shows folders on a page of no entries", lambda name, asked, ours, theirs:
        asked.get("MaxKeys") == 0 and only(ours, theirs, "prefixes", "IsTruncated", "KeyCount")),
    ("a missing bucket and a missing object are one to whoever reads, as with Supabase's storage", lambda name, asked, ours, theirs:
        name in ("get_object", "get_object_tagging") and codes(ours, theirs) == ("NoSuchKey", "NoSuchBucket")),
    ("moto has no code for the missing source of a copy", lambda name, asked, ours, theirs:
        "CopySource" in asked and ours["status"] == theirs["status"] == 404),
    ("Supabase's storage has its own code for a part that is not there", lambda name, asked, ours, theirs:
        name == "complete_multipart_upload" and statuses(ours, theirs) == (400, 400)),
    ("moto demands parts of 5 MiB", lambda name, asked, ours, theirs:
        name == "complete_multipart_upload" and theirs.get("code") == "EntityTooSmall"),
    ("more than 1,000 keys count as 1,000, as with Amazon; moto repeats the number", lambda name, asked, ours, theirs:
        asked.get("MaxKeys") == 5000 and only(ours, theirs, "MaxKeys")),
    ("moto's pages of versions end elsewhere with a delimiter", lambda name, asked, ours, theirs:
        name == "list_object_versions" and "MaxKeys" in asked and "Delimiter" in asked),
    ("keys and folders count as one page, as with Amazon; moto counts them apart", lambda name, asked, ours, theirs:
        name == "list_objects" and "MaxKeys" in asked and "Delimiter" in asked),
    ("a bucket that is there is refused outside of us-east-1", lambda name, asked, ours, theirs:
        name == "create_bucket" and statuses(ours, theirs) == (409, 200)),
    ("moto takes lists of entity tags and weak ones for one tag", lambda name, asked, ours, theirs:
        any("," in asked.get(one, "") or asked.get(one, "").startswith(("W/", "*")) for one in ("IfMatch", "IfNoneMatch"))),
    ("moto evaluates a date beside an entity tag", lambda name, asked, ours, theirs:
        ("IfMatch" in asked and "IfUnmodifiedSince" in asked) or ("IfNoneMatch" in asked and "IfModifiedSince" in asked)),
    ("moto refuses several ranges and what is no range", lambda name, asked, ours, theirs:
        asked.get("Range") in ("bytes=0-1,3-4", "items=0-1", "bytes=5-2", "bytes=-0") and theirs["status"] in (200, 206, 400, 416, 500)),
    ("moto has no range for an empty object", lambda name, asked, ours, theirs:
        "Range" in asked and {ours["status"], theirs["status"]} & {416}),
    ("moto evaluates the range before the conditions", lambda name, asked, ours, theirs:
        "Range" in asked and any(one in asked for one in CONDITIONS) and theirs["status"] == 416),
    ("moto knows no part of an object that was not uploaded in parts", lambda name, asked, ours, theirs: "PartNumber" in asked),
    ("moto has no overrides of HeadObject, or not with a range", lambda name, asked, ours, theirs:
        "ResponseContentType" in asked and only(ours, theirs, "content-type", "content-language")),
]
