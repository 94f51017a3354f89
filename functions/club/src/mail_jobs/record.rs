//! Reads the database row of an entry, from which mails are written.

use cloch_functions::FunctionError;
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

/// Columns of the database row of an entry, as JSON.
#[derive(Debug)]
pub(super) struct Record(Value);

impl Record {
    /// Reads the row of an entry to an award. Returns `None` if the entry was deleted.
    pub(super) async fn read(pool: &PgPool, award: &str, id: Uuid) -> Result<Option<Self>, FunctionError> {
        let query = match award {
            "citizen" => "select to_jsonb(e) from public.young_citizen_nominations as e where id = $1",
            "musician" => "select to_jsonb(e) from public.young_musician_entries as e where id = $1",
            "photographer" => "select to_jsonb(e) from public.young_photographer_entries as e where id = $1",
            "artist" => "select to_jsonb(e) from public.young_artist_entries as e where id = $1",
            "additional" | "music" => "select to_jsonb(e) from public.extra_files as e where id = $1",
            other => return Err(FunctionError::internal(&format!("there is no award {other}"))),
        };
        Ok(sqlx::query_scalar(query).bind(id).fetch_optional(pool).await?.map(Self))
    }

    /// Returns a column of the entry's row as text. The text is empty if the column is null.
    pub(super) fn text(&self, column: &str) -> String {
        match self.0.get(column) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        }
    }

    /// Returns the elements of a column with the type text[]. The list is empty if the column is null.
    pub(super) fn list(&self, column: &str) -> Vec<String> {
        let items = self.0.get(column).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }
}

#[cfg(test)]
impl From<Value> for Record {
    fn from(value: Value) -> Self {
        Self(value)
    }
}
