use serde_json::json;

use super::*;

fn relation() -> Relation {
    Relation {
        schema: "public".into(),
        name: "\"; drop table x; --".into(),
        columns: vec![Column::sample("id", "bigint", true), Column::sample("a\"b", "\"My Type\"", false)],
    }
}

fn filters(value: Value) -> Vec<Filter> {
    serde_json::from_value(value).unwrap()
}

#[test]
fn names_are_quoted_and_values_are_bound() {
    let relation = relation();
    let given = filters(json!([{ "column": "a\"b", "op": "eq", "value": "'; drop table y; --" }]));
    let selection = Selection::new(&relation, &given, &[]).unwrap();
    let statement = selection.page(&Part::Offset(0), 10).unwrap();
    assert!(statement.text.contains(r#"from "public"."""; drop table x; --" as t where t."a""b" = $1::"My Type" order by t."id" limit 10 offset 0"#), "{}", statement.text);
    assert!(!statement.text.contains("table y"));
    assert_eq!(statement.values, ["'; drop table y; --"]);
}

#[test]
fn a_name_that_the_catalog_lacks_is_refused() {
    let relation = relation();
    let given = filters(json!([{ "column": "id; drop", "op": "eq", "value": 1 }]));
    assert!(Selection::new(&relation, &given, &[]).unwrap().page(&Part::Offset(0), 10).is_err());
    let sort = [Sort { column: "nothing".into(), descending: false }];
    assert!(Selection::new(&relation, &[], &sort).is_err());
}

#[test]
fn values_of_is_are_words_and_lists_are_bounded() {
    let relation = relation();
    for (given, refused) in [
        (json!([{ "column": "id", "op": "is", "value": "null; drop" }]), true),
        (json!([{ "column": "id", "op": "is", "value": null }]), false),
        (json!([{ "column": "id", "op": "eq", "value": null }]), true),
        (json!([{ "column": "id", "op": "in", "value": [] }]), true),
        (json!([{ "column": "id", "op": "in", "value": vec![1; MAX_VALUES + 1] }]), true),
        (json!([{ "column": "id", "op": "in", "value": [1, "2"] }]), false),
    ] {
        let given = filters(given);
        let outcome = Selection::new(&relation, &given, &[]).unwrap().matching();
        assert_eq!(outcome.is_err(), refused, "{given:?}");
    }
    let many: Vec<Filter> =
        (0..=MAX_FILTERS).flat_map(|_| filters(json!([{ "column": "id", "op": "eq", "value": 1 }]))).collect();
    assert!(Selection::new(&relation, &many, &[]).is_err());
}

#[test]
fn a_page_begins_after_a_row_by_one_comparison_where_directions_agree() {
    let mut relation = relation();
    let page = |relation: &Relation, sort: &[Sort], after: &[&str]| {
        let after = Part::After(after.iter().map(|text| (*text).to_owned()).collect());
        Selection::new(relation, &[], sort).unwrap().page(&after, 5).map(|statement| statement.text)
    };
    assert!(page(&relation, &[], &["7"]).unwrap().contains(r#"where (t."id") > ($1::bigint)"#));
    let sort = [Sort { column: "a\"b".into(), descending: true }];
    // With a nullable sort column, a page cannot begin after a given row.
    assert!(page(&relation, &sort, &["x", "7"]).is_err());
    relation.columns[1].is_required = true;
    let text = page(&relation, &sort, &["x", "7"]).unwrap();
    assert!(
        text.contains(r#"(t."a""b" < $1::"My Type" or (t."a""b" = $1::"My Type" and t."id" > $2::bigint))"#),
        "{text}"
    );
    assert!(page(&relation, &sort, &["x"]).is_err());
}

#[test]
fn the_largest_page_is_bounded() {
    let relation = relation();
    let text = Selection::new(&relation, &[], &[]).unwrap().page(&Part::Offset(-5), 1_000_000).unwrap().text;
    assert!(text.ends_with("limit 1000 offset 0"), "{text}");
}
