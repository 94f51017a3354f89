//! The owner of a bucket's or object's row.

use uuid::Uuid;

/// Owner of a row: the `sub` claim of the token with which the row was created. The owner is also available as a UUID if the claim is a UUID.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Value of the column `owner_id` of the row.
    pub(crate) id: Option<String>,
    /// Value of the deprecated column `owner` of the row.
    pub(crate) uuid: Option<Uuid>,
}

impl Owner {
    pub(crate) fn of(sub: Option<&str>) -> Self {
        Self { id: sub.map(str::to_owned), uuid: sub.and_then(rfc_uuid) }
    }
}

/// Parses a hyphenated UUID of version 0 to 5 with the variant of RFC 9562. `None` for any other text.
fn rfc_uuid(text: &str) -> Option<Uuid> {
    let uuid = Uuid::try_parse(text).ok().filter(|_| text.len() == 36)?;
    let byte = |index: usize| uuid.as_bytes().get(index).copied().unwrap_or_default();
    let variant = matches!(byte(8) >> 4, 0 | 8 | 9 | 0xa | 0xb);
    (byte(6) >> 4 <= 5 && variant).then_some(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_any_text_and_a_uuid_only_sometimes() {
        assert_eq!(Owner::of(None), Owner { id: None, uuid: None });
        assert_eq!(Owner::of(Some("user-1")).uuid, None);
        assert_eq!(Owner::of(Some("6a7f9a7e-51a5-7b9b-9d7b-0d1f3f3f7a10")).uuid, None);
        assert!(Owner::of(Some("6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10")).uuid.is_some());
    }
}
