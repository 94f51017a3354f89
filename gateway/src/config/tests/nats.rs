//! Tests of the URL of the NATS server. The NATS client decides which URLs are valid.

use super::*;

fn read(url: &str) -> Result<Config, String> {
    let folder = Folder::new("");
    std::fs::write(folder.0.join("cloch.toml"), format!("[realtime]\nnats_url = \"{url}\"\n")).unwrap();
    folder.read(&[])
}

#[test]
fn a_text_that_is_no_url_of_a_nats_server_is_refused_without_the_text() {
    for url in ["http://nats.example:4222", "nats://user:hidden@", "nats://host:port", "nats://"] {
        let Err(error) = read(url) else { panic!("{url} is accepted") };
        assert!(
            error.contains("realtime.nats_url") && error.contains("nats://user:password@host:4222"),
            "{url}: {error}"
        );
        assert!(!error.contains("hidden"), "{error}");
    }
}

#[test]
fn urls_of_nats_servers_are_accepted() {
    for url in [
        "",
        "nats://127.0.0.1:4222",
        "nats://user:password@nats.example:4222",
        "tls://nats.example",
        "nats.example:4222",
    ] {
        read(url).unwrap_or_else(|error| panic!("{url}: {error}"));
    }
}
