"""vecs over DB_URL: collections of vectors in schema vecs. The variable VECTOR_IS_REAL is set if pgvector is installed."""

import math
import os
import warnings

import vecs
from vecs.exc import CollectionNotFound, MismatchedDimension

from steps import raises, run, step

IS_REAL = os.environ["VECTOR_IS_REAL"] == "true"
# The text of a search without an index.
warnings.filterwarnings("ignore", message="Query does not have a covering index")
client = vecs.create_client(os.environ["DB_URL"].replace("postgresql://", "postgresql+psycopg2://", 1))
vectors = {
    "pier": [0.9, 0.1, 0.0],
    "boat": [0.8, 0.3, 0.1],
    "hill": [0.0, 0.2, 0.9],
    "loch": [0.5, 0.5, 0.5],
}
kinds = {"pier": "shore", "boat": "water", "hill": "land", "loch": "water"}
kept = {}


def cosine(a, b):
    return 1 - sum(x * y for x, y in zip(a, b)) / math.hypot(*a) / math.hypot(*b)


def l2(a, b):
    return math.dist(a, b)


def nearest(query, distance, names=vectors):
    return sorted(names, key=lambda name: distance(query, vectors[name]))


@step("create_collection")
def _():
    kept["places"] = client.create_collection(name="places", dimension=3)


@step("upsert")
def _():
    places = kept["places"]
    places.upsert(records=[(name, vector, {"kind": kinds[name], "letters": len(name)}) for name, vector in vectors.items()])
    assert len(places) == 4
    places.upsert(records=[("hill", vectors["hill"], {"kind": "land", "letters": 4, "high": True})])
    assert len(places) == 4


@step("fetch")
def _():
    (name, vector, metadata), = kept["places"].fetch(ids=["hill"])
    assert name == "hill" and metadata["high"] is True
    assert all(abs(x - y) < 1e-6 for x, y in zip(vector, vectors["hill"])), vector


@step("query by cosine distance, with its value and metadata")
def _():
    query = [1, 0, 0]
    rows = kept["places"].query(data=query, limit=3, include_value=True, include_metadata=True)
    assert [row[0] for row in rows] == nearest(query, cosine)[:3]
    assert all(abs(row[1] - cosine(query, vectors[row[0]])) < 1e-6 and row[2]["kind"] == kinds[row[0]] for row in rows), rows


@step("query by Euclidean distance and by inner product")
def _():
    query = [0.4, 0.4, 0.6]
    measures = {
        vecs.IndexMeasure.l2_distance: l2,
        vecs.IndexMeasure.max_inner_product: lambda a, b: -sum(x * y for x, y in zip(a, b)),
    }
    for measure, distance in measures.items():
        assert kept["places"].query(data=query, limit=4, measure=measure) == nearest(query, distance), measure


@step("query with filters by metadata")
def _():
    found = lambda filters: set(kept["places"].query(data=[1, 0, 0], limit=9, filters=filters))  # noqa: E731
    assert found({"kind": {"$eq": "water"}}) == {"boat", "loch"}
    assert found({"$or": [{"high": {"$eq": True}}, {"kind": {"$eq": "shore"}}]}) == {"hill", "pier"}
    assert found({"$and": [{"letters": {"$gte": 4}}, {"kind": {"$ne": "water"}}]}) == {"hill", "pier"}


@step("a vector of another dimension is refused")
def _():
    error = raises(Exception, kept["places"].upsert, records=[("flat", [1, 2], {})])
    assert "expected 3 dimensions, not 2" in str(error), error
    assert len(kept["places"]) == 4


@step("list_collections, get_or_create_collection of an existing one")
def _():
    assert [collection.name for collection in client.list_collections()] == ["places"]
    assert client.get_or_create_collection(name="places", dimension=3).dimension == 3
    raises(MismatchedDimension, client.get_or_create_collection, name="places", dimension=4)


# Without pgvector, the server skips the statement, because searches are exact without an index.
@step("create_index" if IS_REAL else "create_index is skipped without pgvector")
def _():
    kept["places"].create_index()
    assert kept["places"].is_indexed_for_measure(vecs.IndexMeasure.cosine_distance) == IS_REAL


@step("delete, by ids and by metadata")
def _():
    places = kept["places"]
    assert places.delete(ids=["pier"]) == ["pier"]
    assert sorted(places.delete(filters={"kind": {"$eq": "water"}})) == ["boat", "loch"]
    assert len(places) == 1


@step("delete_collection")
def _():
    client.delete_collection("places")
    assert client.list_collections() == []
    raises(CollectionNotFound, client.get_collection, "places")


run()
client.disconnect()
