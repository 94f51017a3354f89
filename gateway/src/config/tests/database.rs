//! Tests of the database URLs: pooler and replica.

use super::*;

#[test]
fn a_pooler_is_in_front_of_a_database_that_is_named() {
    let read = |variables: &[(&str, &str)]| Folder::new("").read(variables);
    let direct = ("CLOCH_DB_URL", "postgres://u:hunter2@db1/app");
    let pooler = ("CLOCH_DB_POOLER_URL", "postgres://u:hunter2@pooler:6432/app");
    let config = read(&[direct, pooler]).unwrap();
    let login = config.pooler.unwrap();
    assert_eq!((login.port, login.keep_statements), (6432, false));
    assert!(read(&[direct]).unwrap().pooler.is_none());
    let several = ("CLOCH_DB_POOLER_URL", "postgres://u:hunter2@one,two/app");
    for (variables, expected) in [
        (vec![pooler], "CLOCH_DB_POOLER_URL: it needs CLOCH_DB_URL"),
        (vec![direct, several], "CLOCH_DB_POOLER_URL: name one pooler"),
        (vec![direct, ("CLOCH_DB_POOLER_URL", "pooler:hunter2")], "CLOCH_DB_POOLER_URL: the database URL"),
    ] {
        let error = read(&variables).unwrap_err();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{error}");
    }
}

#[test]
fn a_replica_is_that_of_a_server_of_the_operators() {
    let read = |cloch: &str, variables: &[(&str, &str)]| {
        let folder = Folder::new("");
        std::fs::write(folder.0.join("cloch.toml"), cloch).unwrap();
        folder.read(variables)
    };
    let primary = ("CLOCH_DB_URL", "postgres://u:hunter2@db1/app");
    let named = "[database]\nread_url = \"postgres://u:hunter2@db2,db3/app?sslmode=require\"\n";
    let error = read(named, &[]).unwrap_err();
    assert!(error.contains("line 2: database.read_url: the embedded database has no standby"), "{error}");
    let replica = read(named, &[primary]).unwrap().replica.unwrap();
    assert_eq!((replica.login.hosts.len(), replica.max_lag.as_secs()), (2, 10));
    assert!(!format!("{replica:?}").contains("hunter2"));
    for (cloch, expected) in [
        ("[database]\nread_url = \"db2:hunter2\"\n", "database.read_url: the database URL must begin with"),
        (
            "[database]\nread_url = \"postgres://u:hunter2@db2:port/a\"\n",
            "database.read_url: the database URL has a port",
        ),
        ("[database]\nread_url = \"host=db2\"\nread_max_lag = 0\n", "line 3: database.read_max_lag: must be"),
        ("[database]\nread_url = \"host=db2\"\nread_max_lag = 61\n", "line 3: database.read_max_lag: must be"),
    ] {
        let error = read(cloch, &[primary]).unwrap_err();
        assert!(error.contains(expected) && !error.contains("hunter2"), "{cloch}: {error}");
    }
}

#[test]
fn a_replica_of_a_variable_that_is_not_set_is_none() {
    let folder = Folder::new("");
    std::fs::write(folder.0.join("cloch.toml"), "[database]\nread_url = \"env(CLOCH_READ_URL)\"\n").unwrap();
    let read = |variables: &[(&str, &str)]| {
        let config = folder.read(variables).unwrap();
        (config.replica.is_some(), warnings::of(&config).iter().any(|warning| warning.key == "database.read_url"))
    };
    let primary = ("CLOCH_DB_URL", "host=db1");
    assert_eq!(read(&[]), (false, false), "a developer's machine");
    assert_eq!(read(&[primary]), (false, true));
    assert_eq!(read(&[primary, ("CLOCH_READ_URL", "host=db2")]), (true, false));
}
