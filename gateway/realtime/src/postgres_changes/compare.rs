//! Evaluates filters without a query to PostgreSQL: comparisons of values of common types, and patterns that [`super::pattern`] can
//! translate.

use std::cmp::Ordering;

use moka::sync::Cache;
use uuid::Uuid;

use super::filter::{Filter, Operator};
use super::pattern::Pattern;
use super::pgoutput::Cell;

/// Maximum number of compiled patterns in the cache. Each compiled pattern takes up to some hundred kilobytes of memory.
const MAX_CACHED_PATTERNS: u64 = 128;

/// Cache of compiled filter patterns. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Patterns(Cache<(Operator, String), std::sync::Arc<Option<Pattern>>>);

impl Default for Patterns {
    fn default() -> Self {
        Self(Cache::new(MAX_CACHED_PATTERNS))
    }
}

impl Patterns {
    fn matches(&self, operator: Operator, pattern: &str, value: &str) -> Option<bool> {
        let translated = self.0.get_with((operator, pattern.to_owned()), || {
            std::sync::Arc::new(match operator {
                Operator::Like => Pattern::like(pattern, false),
                Operator::Ilike => Pattern::like(pattern, true),
                Operator::Match => Pattern::regex(pattern, false),
                _ => Pattern::regex(pattern, true),
            })
        });
        Option::as_ref(&translated)?.matches(value)
    }
}

/// A PostgreSQL type whose values this module can compare. Values of `bool` and `text` are only tested for equality, because the order of
/// `text` depends on the collation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Integer { bits: u32 },
    Uuid,
    Boolean,
    Text,
}

#[derive(Debug, PartialEq, Eq, PartialOrd)]
enum Comparable<'a> {
    Integer(i64),
    Uuid(Uuid),
    Boolean(bool),
    Text(&'a str),
}

impl Known {
    /// Parses the SQL name of a type. The name was written with an empty search path, so a user-defined type has a name with a schema and
    /// cannot be confused with a built-in type.
    fn of(type_sql: &str) -> Option<Self> {
        Some(match type_sql {
            "smallint" => Self::Integer { bits: 16 },
            "integer" => Self::Integer { bits: 32 },
            "bigint" => Self::Integer { bits: 64 },
            "uuid" => Self::Uuid,
            "boolean" => Self::Boolean,
            "text" | "character varying" => Self::Text,
            _ => return None,
        })
    }

    fn has_order(self) -> bool {
        matches!(self, Self::Integer { .. } | Self::Uuid)
    }

    /// Parses a value in the text form that PostgreSQL writes. `None` for invalid values, and for values in another form that PostgreSQL
    /// would accept.
    fn read(self, text: &str) -> Option<Comparable<'_>> {
        match self {
            Self::Integer { bits } => {
                let number: i64 = text.parse().ok()?;
                let is_in_range = number >> (bits - 1) == 0 || number >> (bits - 1) == -1;
                is_in_range.then_some(Comparable::Integer(number))
            }
            Self::Uuid => (text.len() == 36).then(|| Uuid::try_parse(text).ok())?.map(Comparable::Uuid),
            Self::Boolean => match text {
                "true" | "t" => Some(Comparable::Boolean(true)),
                "false" | "f" => Some(Comparable::Boolean(false)),
                _ => None,
            },
            Self::Text => Some(Comparable::Text(text)),
        }
    }
}

impl Filter {
    /// Whether the filter can be evaluated without PostgreSQL for every value of a column of type `type_sql`, and the values in the filter
    /// are valid for this type.
    pub(super) fn is_decided_here(&self, type_sql: &str) -> bool {
        use Operator::{Eq, Gt, Gte, Ilike, Imatch, In, Is, IsDistinct, Like, Lt, Lte, Match, Neq};
        let Some(known) = Known::of(type_sql) else { return self.operator == Is && self.is_null_test() };
        let are_right = self.values.iter().flatten().all(|value| known.read(value).is_some());
        match self.operator {
            Eq | Neq | In | IsDistinct => are_right,
            Lt | Lte | Gt | Gte => are_right && known.has_order(),
            Is => self.is_null_test() || known == Known::Boolean,
            Like | Ilike | Match | Imatch => false,
        }
    }

    fn is_null_test(&self) -> bool {
        self.first().eq_ignore_ascii_case("null")
    }

    /// Whether a column value meets the filter. An unchanged TOASTed value, which the change does not contain, meets no filter. `None` if
    /// PostgreSQL has to evaluate the filter.
    pub(super) fn is_met(&self, type_sql: &str, cell: &Cell, patterns: &Patterns) -> Option<bool> {
        let value = match cell {
            Cell::Unchanged => return Some(false),
            Cell::Null => None,
            Cell::Text(text) => Some(text.as_str()),
        };
        // An unknown result (SQL NULL) does not meet a filter, whether the filter is negated or not.
        Some(self.condition(type_sql, value, patterns)?.is_some_and(|met| met != self.negated))
    }

    /// Evaluates the condition of the filter without its `not`. `None` if PostgreSQL has to evaluate it, `Some(None)` if the result is
    /// unknown (SQL NULL).
    fn condition(&self, type_sql: &str, value: Option<&str>, patterns: &Patterns) -> Option<Option<bool>> {
        match (self.operator, value) {
            (Operator::Is, _) => self.is_word(type_sql, value).map(Some),
            (Operator::IsDistinct, None) => Some(Some(true)),
            // No value is in an empty list, NULL included.
            (Operator::In, _) if self.values.is_empty() => Some(Some(false)),
            (_, None) => Some(None),
            (Operator::Like | Operator::Ilike | Operator::Match | Operator::Imatch, Some(value)) => {
                patterns.matches(self.operator, self.first(), value).map(Some)
            }
            (Operator::In, Some(value)) => self.is_listed(Known::of(type_sql)?, value),
            (_, Some(value)) => self.compare(Known::of(type_sql)?, value).map(Some),
        }
    }

    fn is_word(&self, type_sql: &str, value: Option<&str>) -> Option<bool> {
        if self.is_null_test() {
            return Some(value.is_none());
        }
        let known = Known::of(type_sql).filter(|known| *known == Known::Boolean)?;
        let value = match value {
            Some(text) => Some(known.read(text)? == Comparable::Boolean(true)),
            None => None,
        };
        Some(match self.first().to_ascii_lowercase().as_str() {
            "true" => value == Some(true),
            "false" => value == Some(false),
            _ => value.is_none(),
        })
    }

    /// Whether the list of an `in` condition contains the value. If the list contains NULL and not the value, the result is unknown
    /// (`Some(None)`).
    fn is_listed(&self, known: Known, value: &str) -> Option<Option<bool>> {
        let value = known.read(value)?;
        let items: Option<Vec<_>> = self.values.iter().flatten().map(|item| known.read(item)).collect();
        if items?.contains(&value) {
            return Some(Some(true));
        }
        Some((!self.values.contains(&None)).then_some(false))
    }

    fn compare(&self, known: Known, value: &str) -> Option<bool> {
        let value = known.read(value)?;
        let argument = known.read(self.first())?;
        match self.operator {
            Operator::Eq => return Some(value == argument),
            Operator::Neq | Operator::IsDistinct => return Some(value != argument),
            _ => {}
        }
        let order = known.has_order().then(|| value.partial_cmp(&argument))??;
        Some(match self.operator {
            Operator::Lt => order == Ordering::Less,
            Operator::Lte => order != Ordering::Greater,
            Operator::Gt => order == Ordering::Greater,
            _ => order != Ordering::Less,
        })
    }
}

#[cfg(test)]
mod tests {
    use cloch_sql::testing::TestDatabase;

    use super::*;

    fn filter(text: &str) -> Filter {
        Filter::read_all(text).unwrap().remove(0)
    }

    /// A filter evaluated without PostgreSQL has the same result as in PostgreSQL.
    #[tokio::test]
    async fn comparisons_mean_what_they_mean_in_postgresql() {
        let test = TestDatabase::platform().await;
        let mut connection = test.database().admin().acquire().await.unwrap();
        let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
        let cases: [(&str, &[&str], &[&str]); 4] = [
            ("integer", &["-2147483648", "-1", "0", "7"], &["7", "-1", "+7", "007", " 7", "8"]),
            ("uuid", &[id, "00000000-0000-0000-0000-000000000000"], &[id, "{0f8fad5b-d9cb-469f-a165-70867728950e}"]),
            ("boolean", &["t", "f"], &["true", "f", "yes"]),
            ("text", &["", "a", "A", "b c", "\u{e9}"], &["a", "B", "\"\"", "\"b c\"", "\u{e9}"]),
        ];
        let mut decided = 0;
        for (type_sql, values, arguments) in cases {
            let mut texts: Vec<String> = ["is.null", "not.is.null"].map(ToOwned::to_owned).into();
            if type_sql == "boolean" {
                texts.extend(["is.true", "is.false", "is.unknown", "not.is.TRUE"].map(ToOwned::to_owned));
            }
            for argument in arguments {
                for operator in ["eq", "neq", "lt", "lte", "gt", "gte", "isdistinct", "not.eq"] {
                    texts.push(format!("{operator}.{argument}"));
                }
                // Braces have a meaning in lists.
                let item = if argument.starts_with('{') { format!("\"{argument}\"") } else { (*argument).to_owned() };
                texts.push(format!("in.({item},{})", arguments.first().unwrap()));
                texts.push(format!("not.in.({item})"));
                texts.push(format!("in.({item} , NULL)"));
                texts.push(format!("not.in.( {item},null)"));
            }
            texts.extend(["in.()", "not.in.( )"].map(ToOwned::to_owned));
            for text in texts {
                let filter = filter(&format!("x={text}"));
                let cells = values.iter().map(|value| Cell::Text((*value).to_owned())).chain([Cell::Null]);
                for cell in cells {
                    let Some(ours) = filter.is_met(type_sql, &cell, &Patterns::default()) else {
                        assert!(!filter.is_decided_here(type_sql), "{text} {type_sql}");
                        continue;
                    };
                    decided += 1;
                    let value = if let Cell::Text(text) = &cell { Some(text.as_str()) } else { None };
                    let statement = format!("select {}", filter.sql("$1::text", "$2", type_sql));
                    let asked = sqlx::query_scalar::<_, Option<bool>>(sqlx::AssertSqlSafe(statement));
                    let theirs = asked.bind(value).bind(&filter.values).fetch_one(&mut *connection).await.unwrap();
                    assert_eq!(ours, theirs.unwrap_or(false), "{cell:?} {text} {type_sql}");
                }
            }
        }
        assert!(decided > 300, "{decided}");
    }

    #[test]
    fn what_is_not_known_here_is_asked() {
        for (text, type_sql) in [
            ("x=eq.2026-01-01", "timestamp with time zone"),
            ("x=eq.1", "numeric(10,2)"),
            ("x=eq.ab", "character varying(3)"),
            ("x=lt.a", "text"),
            ("x=eq.99999999999", "integer"),
            ("x=eq.yes", "boolean"),
            ("x=match.a", "text"),
        ] {
            assert!(!filter(text).is_decided_here(type_sql), "{text} {type_sql}");
        }
        assert!(filter("x=is.null").is_decided_here("jsonb"));
    }
}
