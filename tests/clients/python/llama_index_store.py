"""LlamaIndex's SupabaseVectorStore over DB_URL, with vectors that need no model."""

import hashlib
import math
import os

from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.vector_stores.supabase import SupabaseVectorStore

from steps import run, step

DIMENSIONS = 64
TEXTS = {
    "The ferry leaves the pier at nine": {"place": "pier", "year": 2019},
    "The ferry returns to the pier at noon": {"place": "pier", "year": 2021},
    "Lamp oil is sold beside the lighthouse": {"place": "lighthouse", "year": 2021},
}
kept = {}


def vector_of(text):
    """A vector with a place for each word."""
    vector = [0.0] * DIMENSIONS
    for word in text.lower().split():
        vector[hashlib.sha256(word.encode()).digest()[0] % DIMENSIONS] += 1
    length = math.hypot(*vector)
    return [value / length for value in vector]


def open_store():
    return SupabaseVectorStore(postgres_connection_string=os.environ["DB_URL"].replace("postgresql://", "postgresql+psycopg2://", 1), collection_name="llama", dimension=DIMENSIONS)


def search(text, number=3, **filters):
    wanted = MetadataFilters(filters=[MetadataFilter(key=key, value=value) for key, value in filters.items()]) if filters else None
    return kept["store"].query(VectorStoreQuery(query_embedding=vector_of(text), similarity_top_k=number, filters=wanted))


@step("a collection is created, and opened again")
def _():
    open_store()
    kept["store"] = open_store()


@step("add")
def _():
    nodes = [
        TextNode(id_=f"node-{number}", text=text, metadata=metadata, embedding=vector_of(text), relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"document-{number}")})
        for number, (text, metadata) in enumerate(TEXTS.items())
    ]
    assert kept["store"].add(nodes) == ["node-0", "node-1", "node-2"]


@step("query by similarity, with text and metadata")
def _():
    result = search("the ferry returns at noon", 2)
    assert result.nodes[0].get_content() == "The ferry returns to the pier at noon", result.nodes
    assert result.nodes[0].metadata["year"] == 2021 and len(result.ids) == 2
    assert result.similarities == sorted(result.similarities)


@step("query with filters")
def _():
    assert search("the ferry", place="lighthouse").ids == ["node-2"]
    assert search("the ferry", place="pier", year=2021).ids == ["node-1"]
    assert search("the ferry", place="nowhere").ids == []


@step("delete a document")
def _():
    kept["store"].delete("document-1")
    assert sorted(search("the ferry").ids) == ["node-0", "node-2"]


run()
