//! What migrations and seeds of a project may need from a newer version of PostgreSQL than the server has. `[db] major_version` of
//! config.toml is the version that the project was written for.

/// SQL that each major version introduced, from PostgreSQL's release notes, section "Migration" and the lists of changes. Contains only what a
/// migration or seed may write and an older server refuses.
const INTRODUCED: [(u16, &str); 3] = [
    (
        16,
        "any_value(), array_shuffle(), array_sample(), random_normal(), date_add(), date_subtract(), pg_input_is_valid(), SYSTEM_USER, \
         IS JSON, JSON_ARRAY(), JSON_OBJECT() and their aggregates, numbers such as 1_000 and 0xFF, a subquery in FROM without an alias, \
         STORAGE in CREATE TABLE, GRANT of a role WITH INHERIT or SET, COPY with DEFAULT",
    ),
    (
        17,
        "the privilege MAINTAIN (left out of the grants of migrations and seeds) and the role pg_maintain, transaction_timeout, MERGE with \
         RETURNING or WHEN NOT MATCHED BY SOURCE, JSON_TABLE(), JSON_VALUE(), JSON_QUERY(), JSON_EXISTS(), random() with limits, \
         uuid_extract_timestamp(), to_bin(), to_oct(), AT LOCAL, SET EXPRESSION of generated columns, COPY with ON_ERROR, identity columns of \
         partitioned tables",
    ),
    (
        18,
        "uuidv7(), uuidv4(), virtual generated columns (also those with neither STORED nor VIRTUAL), OLD and NEW in RETURNING, \
         WITHOUT OVERLAPS and PERIOD in keys, constraints NOT ENFORCED, NOT NULL with NOT VALID, array_sort(), array_reverse(), casefold(), \
         crc32(), min() and max() of arrays and rows",
    ),
];

/// Returns a text for the operator: the versions, and what `server` lacks. Returns `None` unless the version `named` in config.toml is newer
/// than `server`.
pub(crate) fn lacks(server: u16, named: u16) -> Option<String> {
    let news = INTRODUCED.iter().filter(|(version, _)| (server + 1..=named).contains(version));
    let news: String = news.map(|(version, text)| format!(". New in {version}: {text}")).collect();
    (named > server).then(|| {
        format!(
            "the project was written for PostgreSQL {named} (config.toml, [db] major_version), and this server is PostgreSQL {server}{news}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_versions_after_the_servers_up_to_the_named_one_are_listed() {
        let listed = |server, named| {
            let text = lacks(server, named)?;
            Some([16, 17, 18].into_iter().filter(|version| text.contains(&format!(". New in {version}: "))).collect())
        };
        for (server, named, expected) in [
            (15, 15, None),
            (17, 15, None),
            (15, 16, Some(vec![16])),
            (15, 17, Some(vec![16, 17])),
            (16, 18, Some(vec![17, 18])),
            (18, 99, Some(vec![])),
        ] {
            assert_eq!(listed(server, named), expected, "{named} on {server}");
        }
    }
}
