use super::*;

fn table(has_identity: bool) -> Table {
    let mut id = Column::sample("id", "bigint", true);
    (id.is_generated, id.is_identity) = (has_identity, has_identity);
    let body = Column::sample("bo\"dy", "text", false);
    Table {
        name: "\"public\".\"\"\"; drop\"".into(),
        key: vec![id.clone()],
        compared: vec![body.clone()],
        inserted: vec![id, body],
        left_out: Vec::new(),
    }
}

fn row(id: &str, body: Option<&str>) -> Texts {
    vec![Some(id.to_owned()), body.map(str::to_owned)]
}

#[test]
fn the_shown_statements_are_those_that_run() {
    let table = table(false);
    let key = vec!["3".to_owned()];
    let mut rows = Rows { table: &table, inserted: vec![row("1", Some("it's")), row("2", None)], updated: Vec::new() };
    let (then, now) = (vec![Some("a".to_owned())], vec![None]);
    let update = rows.update(&key, &row("3", Some("'; drop table x; --")), &then, &now);
    rows.updated.extend(update);
    assert_eq!(
        rows.shown(),
        "insert into \"public\".\"\"\"; drop\" (\"id\", \"bo\"\"dy\")\nvalues\n  ('1', 'it''s'),\n  ('2', null);\n\n\
         update \"public\".\"\"\"; drop\"\n   set \"bo\"\"dy\" = '''; drop table x; --'\n where \"id\" = '3';"
    );
    let [insert, update]: [Statement; 2] = rows.statements(true).try_into().unwrap();
    assert_eq!(
        insert,
        Statement {
            text: "insert into \"public\".\"\"\"; drop\" (\"id\", \"bo\"\"dy\")\nvalues\n  ($1::bigint, $2::text),\n  ($3::bigint, $4::text);"
                .into(),
            values: [row("1", Some("it's")), row("2", None)].concat(),
            rows: 2,
        }
    );
    assert_eq!(update.values, [Some("'; drop table x; --".to_owned()), Some("3".to_owned())]);
    assert!(update.text.ends_with("set \"bo\"\"dy\" = $1::text\n where \"id\" = $2::bigint;"), "{}", update.text);
}

#[test]
fn an_equal_row_needs_no_update() {
    let table = table(false);
    let rows = Rows { table: &table, inserted: Vec::new(), updated: Vec::new() };
    let key = vec!["3".to_owned()];
    let digests = vec![Some("a".to_owned())];
    assert!(rows.update(&key, &row("3", Some("x")), &digests, &digests).is_none());
}

#[test]
fn identity_columns_keep_their_values() {
    let table = table(true);
    let rows = Rows { table: &table, inserted: vec![row("1", None)], updated: Vec::new() };
    assert!(rows.shown().contains(") overriding system value\nvalues\n"), "{}", rows.shown());
}

#[test]
fn many_rows_are_several_statements() {
    let table = table(false);
    let inserted = (0..=MAX_PARAMETERS / 2).map(|id| row(&id.to_string(), None)).collect();
    let rows = Rows { table: &table, inserted, updated: Vec::new() };
    let counts: Vec<u64> = rows.statements(true).iter().map(|statement| statement.rows).collect();
    assert_eq!(counts, [MAX_PARAMETERS as u64 / 2, 1]);
}
