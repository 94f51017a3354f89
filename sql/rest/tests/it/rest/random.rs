//! Random requests composed of fragments of the query syntax: no request may cause an internal error or invalid SQL.

use cloch_rest::{Settings, TxEnd};
use cloch_sql::caller::Caller;

use super::Rest;

/// Random number generator with a fixed seed, so that every run of the test sends the same requests.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.roll(words.len())]
    }
}

#[tokio::test]
async fn no_random_request_breaks_anything() {
    let sql = "
        create table ships (id int primary key, name text, info jsonb, tags text[], port_id int, born date);
        create table ports (id int primary key, name text, parent_id int references ports);
        alter table ships add foreign key (port_id) references ports;
        create table crew (ship_id int references ships, port_id int references ports, note text, primary key (ship_id, port_id));
        create view ship_names as select id, name, port_id from ships;
        create function fleet() returns setof ships language sql stable as 'select * from ships';
        create function add_up(a int, b int default 1) returns int language sql immutable as 'select a + b';
        insert into ports values (1, 'p', null), (2, 'q', 1);
        insert into ships values (1, 's', '{\"a\": [1]}', '{x}', 1, '2020-01-01'), (2, null, null, null, null, null);
        insert into crew values (1, 1, 'n');";
    let settings = Settings { aggregates_enabled: true, tx_end: TxEnd::Rollback, ..Settings::default() };
    let rest = Rest::start(sql, settings).await;
    let mut dice = Dice(42);
    let names = [
        "id",
        "name",
        "info",
        "tags",
        "port_id",
        "born",
        "*",
        "nope",
        "\"\"",
        "\"a\"",
        "ports",
        "crew",
        "ships",
        "parent_id",
        "info->a->0",
        "info->>a",
        "count",
        "x:id",
    ];
    let pieces = [
        "id",
        "name",
        "info->>a",
        "*",
        "ports(",
        "crew(",
        "ships!inner(",
        "...ports(",
        ")",
        ",",
        "count()",
        ".sum()",
        "::text",
        "::int4",
        "::bogus",
        "a:",
        "!",
        "\"x\"",
        "(",
        "parent_id(",
        "->a",
        "$",
    ];
    let operators = [
        "eq",
        "neq",
        "gt",
        "like",
        "ilike",
        "in",
        "is",
        "cs",
        "cd",
        "ov",
        "fts",
        "wfts",
        "not.eq",
        "not.in",
        "sl",
        "adj",
        "match",
        "isdistinct",
        "eq(any)",
        "like(all)",
    ];
    let values = [
        "1",
        "x",
        "null",
        "(1,2)",
        "{1}",
        "(x)",
        "",
        "'",
        "\"",
        "\\",
        "%",
        "*",
        "2020-01-01",
        "[1,2)",
        "{\"a\":1}",
        "true",
        "-1",
        "(",
        "[",
        "a.b",
    ];
    let tables = ["ships", "ports", "crew", "ship_names", "rpc/fleet", "rpc/add_up", "nope"];
    let bodies = [
        "{}",
        "[]",
        r#"{"id":9}"#,
        r#"[{"id":9,"name":"n"},{"id":8,"name":null}]"#,
        r#"{"a":1}"#,
        "1",
        "",
        r#"{"info":{"x":1},"tags":["y"],"id":7}"#,
        r#"{"ship_id":2,"port_id":2}"#,
    ];
    let encode =
        |text: &str| percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string();
    for round in 0..3000 {
        let mut parameters = Vec::new();
        if dice.roll(3) > 0 {
            let count = dice.roll(6) + 1;
            let select: String = (0..count).map(|_| dice.pick(&pieces)).collect();
            parameters.push(format!("select={}", encode(&select)));
        }
        for _ in 0..dice.roll(3) {
            let value = format!("{}.{}", dice.pick(&operators), dice.pick(&values));
            parameters.push(format!("{}={}", encode(dice.pick(&names)), encode(&value)));
        }
        match dice.roll(8) {
            0 => parameters.push(format!(
                "order={}",
                encode(&format!("{}.{}", dice.pick(&names), dice.pick(&["asc", "desc", "nullsfirst", "x"])))
            )),
            1 => parameters.push(format!("limit={}", dice.pick(&["0", "1", "-1", "x", "5"]))),
            2 => parameters.push(format!("offset={}", dice.pick(&["0", "1", "-1", "x", "99"]))),
            3 => parameters.push(format!(
                "or={}",
                encode(&format!("({}.{}.{})", dice.pick(&names), dice.pick(&operators), dice.pick(&values)))
            )),
            4 => parameters.push(format!("columns={}", encode(dice.pick(&names)))),
            5 => parameters.push(format!("on_conflict={}", encode(dice.pick(&names)))),
            6 => parameters.push(format!("a={}", encode(dice.pick(&values)))),
            _ => {}
        }
        let method = ["GET", "GET", "GET", "HEAD", "POST", "PATCH", "DELETE", "PUT"][dice.roll(8)];
        let path = format!("/{}?{}", dice.pick(&tables), parameters.join("&"));
        let body = if matches!(method, "POST" | "PATCH" | "PUT") { dice.pick(&bodies) } else { "" };
        let answer = rest.send(&Caller::service_role(), method, &path, body).await;
        // PostgREST's protocol also returns 500 for an upsert that contains the same row twice and for a write to a read-only view.
        let by_dialect = ["\"21000\"", "\"55000\""].iter().any(|code| answer.body.contains(code));
        assert!(answer.status.as_u16() < 500 || by_dialect, "{round}: {method} {path} {body} {answer:?}");
        let is_syntax = answer.body.contains("\"42601\"") && !answer.body.contains("zero-length");
        assert!(!is_syntax, "{round}: {method} {path} {body} {answer:?}");
    }
}
