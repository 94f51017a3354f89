"""Tests all endpoints of vector buckets with the synchronous client, and searches with the asynchronous client."""

import asyncio
import math

from storage3.exceptions import StorageApiError
from storage3.types import MetadataConfiguration, VectorData, VectorObject
from supabase import acreate_client, create_client

from steps import ANON, SERVICE, URL, raises, run, step

vectors = create_client(URL, SERVICE).storage.vectors()
bucket = vectors.from_("python")
places = bucket.index("places")
kept = {}

PIER = [0.1, 0.2, 0.3]
BOAT = [0.9, 0.1, 0.0]
HILL = [0.0, 0.0, 1.0]


def is_near(a, b):
    return all(math.isclose(x, y, abs_tol=1e-6) for x, y in zip(a, b, strict=True))


@step("vectors.create_bucket, get_bucket")
def _():
    vectors.create_bucket("python")
    found = vectors.get_bucket("python").vectorBucket
    assert found.vectorBucketName == "python" and found.creationTime is not None


@step("vectors.get_bucket of a bucket that does not exist")
def _():
    assert vectors.get_bucket("nothing-here") is None


@step("vectors.create_bucket again")
def _():
    error = raises(StorageApiError, vectors.create_bucket, "python")
    assert (str(error.status), error.code) == ("409", "ConflictException"), error.to_dict()


@step("vectors.list_buckets, with a prefix and in pages")
def _():
    vectors.create_bucket("python-second")
    first = vectors.list_buckets(prefix="python", max_results=1)
    second = vectors.list_buckets(prefix="python", max_results=1, next_token=first.nextToken)
    assert [b.vectorBucketName for b in first.vectorBuckets + second.vectorBuckets] == ["python", "python-second"]
    assert vectors.list_buckets(prefix="other").vectorBuckets == []


@step("vectors.from_.create_index with keys that cannot be filtered, get_index")
def _():
    bucket.create_index("places", 3, "cosine", "float32", MetadataConfiguration(non_filterable_metadata_keys=["text"]))
    index = bucket.get_index("places").index
    assert (index.index_name, index.bucket_name, index.dimension, index.distance_metric) == ("places", "python", 3, "cosine")
    assert index.metadata.non_filterable_metadata_keys == ["text"] and index.creation_time is not None
    assert bucket.get_index("nowhere") is None


@step("vectors.from_.list_indexes")
def _():
    bucket.create_index("other", 2, "euclidean", "float32")
    first = bucket.list_indexes(max_results=1)
    second = bucket.list_indexes(max_results=1, next_token=first.nextToken)
    assert [i.indexName for i in first.indexes + second.indexes] == ["other", "places"]
    assert [i.indexName for i in bucket.list_indexes(prefix="pl").indexes] == ["places"]


@step("vectors.index.put")
def _():
    places.put(
        [
            VectorObject(key="pier", data=VectorData(float32=PIER), metadata={"kind": "place", "year": 1900, "text": "The pier"}),
            VectorObject(key="boat", data=VectorData(float32=BOAT), metadata={"kind": "thing", "year": 1950}),
            VectorObject(key="hill", data=VectorData(float32=HILL)),
        ]
    )


@step("vectors.index.put of another dimension")
def _():
    error = raises(StorageApiError, places.put, [VectorObject(key="short", data=VectorData(float32=[1.0]))])
    assert str(error.status) == "400" and "length 3" in error.message, error.to_dict()


@step("vectors.index.get")
def _():
    (found,) = places.get("pier").vectors
    assert is_near(found.data.float32, PIER) and found.metadata["text"] == "The pier"
    (found,) = places.get("pier", "nobody", return_data=False, return_metadata=False).vectors
    assert (found.key, found.data, found.metadata) == ("pier", None, None)


@step("vectors.index.list, in pages and segments")
def _():
    first = places.list(max_results=2)
    second = places.list(max_results=2, next_token=first.nextToken, return_data=False)
    assert [v.key for v in first.vectors + second.vectors] == ["boat", "hill", "pier"]
    segments = [v.key for number in range(2) for v in places.list(segment_count=2, segment_index=number).vectors]
    assert sorted(segments) == ["boat", "hill", "pier"]


@step("vectors.index.query")
def _():
    near, far = places.query(VectorData(float32=PIER), topK=2).vectors
    assert near.key == "pier" and abs(near.distance) < 1e-6 and near.metadata["year"] == 1900
    assert far.key == "hill" and is_near([far.distance], [1 - 0.3 / math.sqrt(0.14)])


@step("vectors.index.query with filters")
def _():
    query = VectorData(float32=PIER)
    assert [v.key for v in places.query(query, topK=5, filter={"kind": "thing"}).vectors] == ["boat"]
    conditions = {"$or": [{"year": {"$lt": 1920}}, {"kind": {"$in": ["thing"]}}]}
    assert [v.key for v in places.query(query, topK=5, filter=conditions, return_distance=False).vectors] == ["pier", "boat"]
    assert str(raises(StorageApiError, places.query, query, topK=5, filter={"text": "The pier"}).status) == "400"


@step("vectors with the public key are refused")
def _():
    visitor = create_client(URL, ANON).storage.vectors()
    assert str(raises(StorageApiError, visitor.list_buckets).status) == "403"


@step("vectors of the asynchronous client")
def _():
    async def search():
        client = await acreate_client(URL, SERVICE)
        index = client.storage.vectors().from_("python").index("places")
        return await index.query(VectorData(float32=BOAT), topK=1)

    assert [v.key for v in asyncio.run(search()).vectors] == ["boat"]


@step("vectors.index.delete")
def _():
    places.delete(["pier", "nobody"])
    assert [v.key for v in places.list().vectors] == ["boat", "hill"]


@step("vectors.delete_bucket of a bucket with indexes")
def _():
    error = raises(StorageApiError, vectors.delete_bucket, "python")
    assert error.code == "VectorBucketNotEmpty", error.to_dict()


@step("vectors.from_.delete_index, delete_bucket")
def _():
    for name in ("places", "other"):
        bucket.delete_index(name)
    assert bucket.list_indexes().indexes == []
    for name in ("python", "python-second"):
        vectors.delete_bucket(name)
    assert vectors.list_buckets(prefix="python").vectorBuckets == []


run()
