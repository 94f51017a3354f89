//! Tests of the advisors: the test schemas violate each lint once, and the fixes of the findings remove all findings.

mod open_to_anon;

use std::time::Duration;

use cloch_sql::advisors::{Finding, LINTS, advise};
use cloch_sql::testing::TestDatabase;
use sqlx::{AssertSqlSafe, PgConnection};

/// Maximum number of rounds in which all fixes are applied. Several rounds are needed because a fix may cause another finding (row-level
/// security without a policy), and because VACUUM keeps dead rows while an older snapshot exists, for example of an autovacuum analyze.
const MAX_ROUNDS: usize = 40;

/// Test schema as SQL. Its first lines list the expected findings: `-- rule: schema.name`.
struct Broken {
    file: &'static str,
    sql: &'static str,
}

const SCHEMAS: [Broken; 5] = [
    Broken { file: "library.sql", sql: include_str!("library.sql") },
    Broken { file: "shop.sql", sql: include_str!("shop.sql") },
    Broken { file: "clinic.sql", sql: include_str!("clinic.sql") },
    Broken { file: "harbour.sql", sql: include_str!("harbour.sql") },
    Broken { file: "school.sql", sql: include_str!("school.sql") },
];

impl Broken {
    fn expected(&self) -> Vec<(String, String)> {
        let rules = self.sql.lines().map_while(|line| line.strip_prefix("-- "));
        let mut rules: Vec<_> = rules
            .filter_map(|line| line.split_once(": "))
            .map(|(rule, entity)| (rule.to_owned(), entity.to_owned()))
            .collect();
        rules.sort();
        rules
    }
}

fn exposed() -> Vec<String> {
    ["public", "graphql_public", "pgmq_public"].map(str::to_owned).to_vec()
}

async fn run(connection: &mut PgConnection, sql: &str) {
    if let Err(error) = sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection).await {
        panic!("{sql}\n{error}");
    }
}

async fn found(connection: &mut PgConnection) -> (Vec<(String, String)>, Vec<Finding>) {
    let findings = advise(connection, &exposed()).await.unwrap();
    let mut pairs: Vec<_> = findings.iter().map(|finding| (finding.name.to_owned(), finding.entity())).collect();
    pairs.sort();
    (pairs, findings)
}

#[tokio::test]
async fn each_rule_is_broken_once_and_mended_by_its_statement() {
    let mut broken: Vec<String> = Vec::new();
    for schema in SCHEMAS {
        let database = TestDatabase::platform().await;
        let mut connection = database.superuser().acquire().await.unwrap();
        assert_eq!(found(&mut connection).await.0, [], "the platform alone breaks a rule");
        run(&mut connection, schema.sql).await;
        let (pairs, mut findings) = found(&mut connection).await;
        assert_eq!(pairs, schema.expected(), "{}", schema.file);
        broken.extend(pairs.into_iter().map(|(rule, _)| rule));
        for round in 0..MAX_ROUNDS {
            for finding in &findings {
                let fix = finding.fix.as_deref().unwrap_or_else(|| panic!("{} has no statement", finding.cache_key));
                run(&mut connection, fix).await;
            }
            findings = found(&mut connection).await.1;
            if findings.is_empty() {
                break;
            }
            if round >= 2 {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
        }
        assert!(findings.is_empty(), "{}, fixed: {findings:#?}", schema.file);
    }
    broken.sort();
    let mut all: Vec<&str> = LINTS.iter().map(|lint| lint.name).collect();
    all.sort_unstable();
    assert_eq!(broken, all, "each rule is broken once");
}

#[tokio::test]
async fn the_names_of_hostile_objects_are_quoted() {
    let database = TestDatabase::platform().await;
    let mut connection = database.superuser().acquire().await.unwrap();
    run(
        &mut connection,
        r#"create table public."""; drop table victim; --" ("select" int, "a""b" int references public.victims);
           create policy "p""; drop" on public."""; drop table victim; --" using (auth.uid() is null);"#
            .replacen("create table", "create table public.victims (id int primary key); alter table public.victims enable row level security; create table", 1)
            .as_str(),
    )
    .await;
    for _ in 0..3 {
        for finding in found(&mut connection).await.1 {
            run(&mut connection, &finding.fix.unwrap()).await;
        }
    }
    assert_eq!(found(&mut connection).await.0, []);
}
