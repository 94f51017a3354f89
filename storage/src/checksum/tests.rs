#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use tokio::task::JoinSet;

use super::*;

fn bytes(chunks: Vec<Vec<u8>>) -> ByteStream {
    // As from the network: others have their turn between two chunks.
    let chunk = |chunk| async {
        tokio::task::yield_now().await;
        Ok(Bytes::from(chunk))
    };
    stream::iter(chunks).then(chunk).boxed()
}

async fn sum(checksum: &Checksum, chunks: Vec<Vec<u8>>) {
    assert!(checksum.over(bytes(chunks)).all(|item| async move { item.is_ok() }).await);
}

#[tokio::test]
async fn sums_what_passes() {
    let checksum = Checksum::default();
    sum(&checksum, vec![b"hello ".to_vec(), b"world".to_vec()]).await;
    assert_eq!(checksum.hex().await.unwrap(), "5eb63bbbe01eeed093cb22bb8f5acdc3");
}

#[tokio::test]
async fn a_checksum_goes_on_where_it_was() {
    let first = Checksum::default();
    sum(&first, vec![b"hello ".to_vec()]).await;
    let second = Checksum::resume(&first.save().await.unwrap()).unwrap();
    sum(&second, vec![b"world".to_vec()]).await;
    assert_eq!(second.hex().await.unwrap(), "5eb63bbbe01eeed093cb22bb8f5acdc3");
    assert!(Checksum::resume(b"x").is_err());
}

/// What rows of resumable uploads hold: 16 bytes of state, 8 of the number of blocks, 1 of the bytes that wait, and 63 for those.
#[tokio::test]
async fn what_was_saved_before_is_gone_on_from() {
    let saved = hex::decode(SAVED).unwrap();
    let checksum = Checksum::resume(&saved).unwrap();
    assert_eq!(checksum.save().await.unwrap(), saved);
    let rest = vec![vec![b'b'; 100_000]; 5];
    let whole = [&[b'a'; 100], rest.concat().as_slice()].concat();
    let mut others = JoinSet::new();
    for _ in 0..3 {
        others.spawn(async { sum(&Checksum::default(), vec![vec![0; 100_000]; 20]).await });
    }
    sum(&checksum, rest).await;
    assert_eq!(checksum.hex().await.unwrap(), hex::encode(Md5::digest(whole)));
    others.join_all().await;
}

const SAVED: &str = "\
    56ffd48962d95c1233deca6925e333000100000000000000246161616161616161616161616161616161616161616161\
    61616161616161616161616161000000000000000000000000000000000000000000000000000000";

/// The chunks of an upload, and after how many of them the client goes away.
fn upload() -> impl Strategy<Value = (Vec<Vec<u8>>, Option<usize>)> {
    let chunk = (any::<u8>(), prop_oneof![0_usize..3000, 0_usize..150_000]).prop_map(|(byte, size)| vec![byte; size]);
    (vec(chunk, 0..12), prop::option::weighted(0.3, 0_usize..12))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn who_goes_away_does_not_disturb_the_others(uploads in vec(upload(), 1..16)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
        runtime.block_on(async {
            let mut tasks = JoinSet::new();
            for (chunks, gone_after) in uploads {
                tasks.spawn(async move {
                    let checksum = Checksum::default();
                    match gone_after {
                        Some(count) => drop(checksum.over(bytes(chunks)).take(count).collect::<Vec<_>>().await),
                        None => {
                            sum(&checksum, chunks.clone()).await;
                            assert_eq!(checksum.hex().await.unwrap(), hex::encode(Md5::digest(chunks.concat())));
                        }
                    }
                });
            }
            tasks.join_all().await;
        });
    }
}
