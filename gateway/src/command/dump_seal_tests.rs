//! Tests of the seal: every change of a sealed file is refused, with its reason.

use super::*;

fn key(text: &str) -> SealKey {
    SealKey::new(&Secret::new(text)).unwrap()
}

fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn bytes(file: &File) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(file.metadata().unwrap().len()).unwrap()];
    file.read_exact_at(&mut bytes, 0).unwrap();
    bytes
}

async fn sealed(content: &[u8], key: &SealKey) -> Vec<u8> {
    let mut file = file(content);
    key.append(&mut file).await.unwrap();
    bytes(&file)
}

/// Returns the number of bytes before the seal.
async fn verified(sealed: &[u8], key: &SealKey) -> Result<u64, String> {
    let file = file(sealed);
    let seal = Seal::read(&file).map_err(|error| error.to_string())?;
    key.verify(&file, &seal).await.map_err(|error| error.to_string())?;
    Ok(seal.content)
}

async fn reason(sealed: &[u8]) -> String {
    verified(sealed, &key("a")).await.unwrap_err()
}

#[tokio::test]
async fn a_dump_of_any_size_is_accepted_as_it_was_written() {
    for length in [0, 1, 100, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 7] {
        let content: Vec<u8> = (0..length).map(|number| u8::try_from(number % 251).unwrap()).collect();
        let sealed = sealed(&content, &key("a")).await;
        assert_eq!(verified(&sealed, &key("a")).await, Ok(length as u64));
    }
}

#[tokio::test]
async fn every_changed_byte_is_noticed() {
    let sealed = sealed(b"PGDMP and rows", &key("a")).await;
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        reason(&changed).await;
    }
    for length in 0..sealed.len() {
        reason(&sealed[..length]).await;
    }
}

#[tokio::test]
async fn the_reason_is_named() {
    let whole = sealed(b"PGDMP\nand rows\n", &key("a")).await;
    let content = whole.len() - 101;
    let other = sealed(b"PGDMP\nand other rows\n", &key("a")).await;
    let seal = &whole[content..];
    let text = String::from_utf8(whole.clone()).unwrap();
    for (changed, expected) in [
        (b"".to_vec(), "it has no seal"),
        (whole[..content].to_vec(), "it has no seal"),
        (whole[..content + 9].to_vec(), "it has no seal"),
        (whole[..content + 40].to_vec(), "its seal is not complete"),
        (whole[..whole.len() - 1].to_vec(), "its seal is not complete"),
        ([&whole, b"\n".as_slice()].concat(), "something was appended"),
        ([&whole, b"COPY t FROM PROGRAM 'id';".as_slice()].concat(), "something was appended"),
        ([&whole, seal].concat(), "it is not what was written"),
        ([&other[..other.len() - 101], seal].concat(), "it is not what was written"),
        (text.replace('\n', "\r\n").into_bytes(), "its line ends were changed"),
        (text.replace('\n', "\r").into_bytes(), "its line ends were changed"),
        (text.replace("seal 1 ", "seal 2 ").into_bytes(), "its seal has the version 2"),
        (text.replace("seal 1 ", "seal x ").into_bytes(), "it is not what was written"),
        (text.replace("and rows", "or  rows").into_bytes(), "it is not what was written"),
        (sealed(b"PGDMP", &key("b")).await, "its seal was made with another key"),
    ] {
        let reason = reason(&changed).await;
        assert!(reason.contains(expected), "{reason}, not {expected}");
    }
}

/// A dump of an earlier version must stay valid. The value was computed with `hmac` of Python.
#[tokio::test]
async fn the_format_does_not_change() {
    let sealed = sealed(b"PGDMP", &key("a key")).await;
    assert_eq!(
        String::from_utf8(sealed).unwrap(),
        "PGDMP\ncloch-dump-seal 1 536a3fba98474713 acec645e5dd0b85c394a7f3666b1f7250984a22392dc1b535d9635655449c02c\n"
    );
}

#[test]
fn a_key_is_not_printed() {
    let printed = format!("{:?}", key("hunter2"));
    assert!(printed.starts_with("SealKey(") && !printed.contains("hunter2"), "{printed}");
}
