//! Tests of vector buckets that change the database directly, in addition to the client suite `tests/client/storage_vectors.test.mjs`.

use serde_json::{Value, json};

use crate::support::{Reply, USER, World};

async fn call(world: &World, operation: &str, body: Value) -> Reply {
    world.ask("POST", &format!("/vector/{operation}")).service().json(body).await
}

async fn with_index(metric: &str) -> World {
    let world = World::new().await;
    call(&world, "CreateVectorBucket", json!({"vectorBucketName": "b"})).await.ok();
    let index = json!({"vectorBucketName": "b", "indexName": "docs", "dataType": "float32", "dimension": 2, "distanceMetric": metric});
    call(&world, "CreateIndex", index).await.ok();
    world
}

#[tokio::test]
async fn a_database_without_the_table_or_the_rights_has_no_vector_buckets() {
    let world = with_index("cosine").await;
    let list = async || call(&world, "ListVectors", json!({"vectorBucketName": "b", "indexName": "docs"})).await;
    list().await.ok();
    for change in ["revoke all on cloch.vectors from service_role", "drop table cloch.vectors"] {
        world.sql(change).await;
        let reply = list().await.refused("409", "FeatureNotEnabled");
        assert_eq!((reply.status.as_u16(), &reply.json()["message"]), (409, &json!("Vector buckets are not enabled")));
    }
}

/// Tests that other roles are refused before the body is read. The body can have 20 MiB.
#[tokio::test]
async fn other_roles_are_refused_whatever_they_send() {
    let world = World::new().await;
    for body in ["{}", "no JSON"] {
        let asked = world.ask("POST", "/vector/PutVectors").user(USER).header("content-type", "application/json");
        let reply = asked.body(body).await.refused("403", "AccessDenied");
        assert_eq!((reply.status.as_u16(), &reply.json()["message"]), (403, &json!("Access denied: Invalid role")));
    }
    let reply = world.ask("POST", "/vector/PutVectors").service().header("content-type", "application/json");
    let reply = reply.body("no JSON").await.refused("400", "InvalidRequest");
    assert_eq!(reply.status, 400);
    let large = json!({"vectorBucketName": "b", "vectors": "x".repeat(20 * 1024 * 1024)});
    assert_eq!(call(&world, "PutVectors", large).await.refused("413", "EntityTooLarge").status, 413);
}

/// Tests an index whose row was written by Supabase's own server or by a developer, with a metric that Cloch does not support.
#[tokio::test]
async fn an_unknown_distance_is_refused() {
    let world = with_index("cosine").await;
    world.sql("update storage.vector_indexes set distance_metric = 'dotproduct'").await;
    let query = json!({"vectorBucketName": "b", "indexName": "docs", "topK": 1, "queryVector": {"float32": [1, 2]}});
    let reply = call(&world, "QueryVectors", query).await.refused("400", "InvalidParameter");
    assert_eq!(reply.json()["message"], "Unsupported distance metric: dotproduct");
}

/// Tests numbers whose sum of squares exceeds the range of float32.
#[tokio::test]
async fn distances_have_double_precision() {
    let world = with_index("euclidean").await;
    let vectors = json!([{"key": "a", "data": {"float32": [3e38, 0]}}, {"key": "b", "data": {"float32": [0, 0]}}]);
    call(&world, "PutVectors", json!({"vectorBucketName": "b", "indexName": "docs", "vectors": vectors})).await.ok();
    let query = json!({
        "vectorBucketName": "b", "indexName": "docs", "topK": 2, "queryVector": {"float32": [-3e38, 0]}, "returnDistance": true,
    });
    let found = call(&world, "QueryVectors", query).await.ok().json();
    let distances = [0, 1].map(|index| found["vectors"][index]["distance"].as_f64().unwrap());
    assert!((distances[0] / 3e38 - 1.0).abs() < 1e-6 && (distances[1] / 6e38 - 1.0).abs() < 1e-6, "{found}");
}
