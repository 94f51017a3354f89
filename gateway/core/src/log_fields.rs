//! Fields of the access log that only the API that handles a request can supply. The API adds the fields to its response.

use std::borrow::Cow;

use http::Extensions;

/// Fields for the access log. An API stores them in the extensions of its response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogFields {
    /// Kind of client: `operator` or `access token`. The access log contains it in place of the database role.
    pub caller: Option<&'static str>,
    /// Name of the requested table, or `rpc/` and the name of the called database function. The name exists in the schema cache, so that it is
    /// never text from the request.
    pub resource: Option<String>,
    /// Name of the called function.
    pub function: Option<String>,
    /// Name of the bucket. The object's path is left out, because it may contain names of people.
    pub bucket: Option<String>,
    /// Code of the error in the body of the response.
    pub code: Option<Cow<'static, str>>,
}

impl LogFields {
    /// Changes the log fields of a response by calling `change`. Fields that were set earlier keep their values unless `change` sets them.
    pub fn set(response: &mut Extensions, change: impl FnOnce(&mut Self)) {
        change(response.get_or_insert_default());
    }

    /// Sets the code of the error in a response.
    pub fn set_code(response: &mut Extensions, code: impl Into<Cow<'static, str>>) {
        Self::set(response, |fields| fields.code = Some(code.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_program_add_to_each_others_fields() {
        let mut response = Extensions::new();
        LogFields::set_code(&mut response, "NoSuchKey");
        LogFields::set(&mut response, |fields| fields.bucket = Some("files".to_owned()));
        let fields = response.get::<LogFields>().unwrap();
        assert_eq!((fields.code.as_deref(), fields.bucket.as_deref()), (Some("NoSuchKey"), Some("files")));
    }
}
