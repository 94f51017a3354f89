//! Filters of a subscription: conditions of the form `column=[not.]operator.value`, separated by commas.

use super::in_list;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Filter {
    pub(super) column: String,
    pub(super) negated: bool,
    pub(super) operator: Operator,
    /// Text after the operator of the condition. For the operator `in`, the items of the list, `None` for NULL.
    pub(super) values: Vec<Option<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Operator {
    Eq,
    Neq,
    Lt,
    Lte,
    Gt,
    Gte,
    In,
    Like,
    Ilike,
    Is,
    Match,
    Imatch,
    IsDistinct,
}

/// Reasons to refuse a filter or another field of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FilterError {
    #[error("Error parsing `filter` params: [\"{0}\"]")]
    Form(String),
    #[error("Error parsing `filter` params: too many values for `in` filter. Maximum is 100")]
    TooManyValues,
    #[error("Error parsing `filter` params: filter must not contain empty segments (check for extra commas)")]
    EmptySegment,
    #[error("Error parsing `event` params: expected INSERT, UPDATE, DELETE or *, got {0}")]
    Event(String),
    #[error("No subscription params provided. Please provide at least a `schema` or `table` to subscribe to")]
    NoTable,
    #[error("invalid column for filter {0}")]
    Column(String),
    #[error("invalid value for filter on column {0}")]
    Value(String),
    #[error("Error parsing `select` params: expected a list of column name strings, e.g. select: [\"col1\", \"col2\"]")]
    SelectForm,
    #[error("Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name.")]
    SelectOfManyTables,
    #[error("invalid column for select {0}")]
    SelectedColumn(String),
    #[error("Error parsing `filter` params: a pattern has at most {MAX_PATTERN_BYTES} bytes")]
    LongPattern,
    #[error("too many filters for one channel. Maximum is {0}")]
    TooMany(usize),
    #[error("filter on column {0} takes too long")]
    TooSlow(String),
    #[error("the role {0} may not be used")]
    Role(String),
}

const MAX_IN_VALUES: usize = 100;
/// Maximum length of a pattern of `like`, `ilike`, `match` and `imatch`, in bytes.
const MAX_PATTERN_BYTES: usize = 1_000;

impl Operator {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Eq,
            "neq" => Self::Neq,
            "lt" => Self::Lt,
            "lte" => Self::Lte,
            "gt" => Self::Gt,
            "gte" => Self::Gte,
            "in" => Self::In,
            "like" => Self::Like,
            "ilike" => Self::Ilike,
            "is" => Self::Is,
            "match" => Self::Match,
            "imatch" => Self::Imatch,
            "isdistinct" => Self::IsDistinct,
            _ => return None,
        })
    }

    pub(super) fn is_pattern(self) -> bool {
        matches!(self, Self::Like | Self::Ilike | Self::Match | Self::Imatch)
    }
}

impl Filter {
    /// Parses the filter of an entry of `postgres_changes`: conditions separated by commas.
    pub(super) fn read_all(text: &str) -> Result<Vec<Self>, FilterError> {
        match text.trim() {
            "" => Ok(Vec::new()),
            text => split(text)?.into_iter().map(str::trim).map(Self::read).collect(),
        }
    }

    fn read(text: &str) -> Result<Self, FilterError> {
        if text.is_empty() {
            return Err(FilterError::EmptySegment);
        }
        let wrong = || FilterError::Form(text.to_owned());
        let (column, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (negated, rest) = match rest.strip_prefix("not.") {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (operator, value) = rest.split_once('.').ok_or_else(wrong)?;
        let operator = Operator::from_name(operator).ok_or_else(wrong)?;
        let values = match operator {
            Operator::In => {
                let list = value.strip_prefix('(').and_then(|value| value.strip_suffix(')')).ok_or_else(wrong)?;
                let values = in_list::items(list).ok_or_else(wrong)?;
                if values.len() > MAX_IN_VALUES {
                    return Err(FilterError::TooManyValues);
                }
                values
            }
            Operator::Is if !matches!(value.to_ascii_lowercase().as_str(), "null" | "true" | "false" | "unknown") => {
                return Err(wrong());
            }
            _ => vec![Some(unquoted(value))],
        };
        if operator.is_pattern() && values.iter().flatten().any(|pattern| pattern.len() > MAX_PATTERN_BYTES) {
            return Err(FilterError::LongPattern);
        }
        Ok(Self { column: unquoted(column), negated, operator, values })
    }

    /// Returns the condition as an SQL expression. `value` is the placeholder of the column value's text, `arguments` is the placeholder of
    /// the filter's values, and `kind` is the SQL name of the column's type.
    pub(super) fn sql(&self, value: &str, arguments: &str, kind: &str) -> String {
        let typed = self.typed_sql(arguments, kind);
        let plain = |operator: &str| format!("{value}::{kind} {operator} {typed}");
        let text = |operator: &str| format!("{value} {operator} ({arguments}::text[])[1]");
        let condition = match self.operator {
            Operator::Eq => plain("="),
            Operator::Neq => plain("<>"),
            Operator::Lt => plain("<"),
            Operator::Lte => plain("<="),
            Operator::Gt => plain(">"),
            Operator::Gte => plain(">="),
            Operator::In => format!("{value}::{kind} = any({typed})"),
            Operator::Like => text("like"),
            Operator::Ilike => text("ilike"),
            Operator::Match => text("~"),
            Operator::Imatch => text("~*"),
            Operator::IsDistinct => plain("is distinct from"),
            Operator::Is => self.is(value, kind, arguments),
        };
        if self.negated { format!("not ({condition})") } else { condition }
    }

    /// Returns the filter's values in the type of the column, as an SQL expression: an array for the operator `in`, a single value otherwise.
    fn typed_sql(&self, arguments: &str, kind: &str) -> String {
        match self.operator {
            Operator::In => format!("{arguments}::text[]::{kind}[]"),
            _ => format!("({arguments}::text[])[1]::{kind}"),
        }
    }

    /// Returns an SQL expression that fails if the filter is not valid for a column of type `kind`. The placeholders are those of
    /// [`Self::sql`], and the placeholder `value` is NULL.
    ///
    /// The condition alone does not always fail: for a NULL, PostgreSQL does not evaluate the other operand if its cast is only stable, as it
    /// is for enumerations, times, ranges and arrays.
    pub(super) fn check_sql(&self, value: &str, arguments: &str, kind: &str) -> String {
        let condition = self.sql(value, arguments, kind);
        if self.operator.is_pattern() || self.operator == Operator::Is {
            return condition;
        }
        format!("{} is null, {condition}", self.typed_sql(arguments, kind))
    }

    /// Returns the condition `is null|true|false|unknown` as an SQL expression. The value is inserted as an SQL keyword, not as a parameter,
    /// so only these four keywords are accepted.
    fn is(&self, value: &str, kind: &str, arguments: &str) -> String {
        let word = match self.first().to_ascii_lowercase().as_str() {
            "true" => "true",
            "false" => "false",
            "unknown" => "unknown",
            _ => return format!("({value}::{kind} is null and {arguments}::text[] is not null)"),
        };
        format!("({value}::{kind} is {word} and {arguments}::text[] is not null)")
    }

    /// The value of an operator other than `in`.
    pub(super) fn first(&self) -> &str {
        self.values.first().and_then(Option::as_deref).unwrap_or_default()
    }
}

/// Splits a filter text at commas outside of parentheses and double quotes. A comma after an unclosed parenthesis or double quote is
/// ambiguous, so the filter is refused.
fn split(text: &str) -> Result<Vec<&str>, FilterError> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0_u32, false, false);
    let mut is_open_before_comma = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth = depth.saturating_sub(1),
            ',' if !quoted && depth == 0 => {
                parts.push(text.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            ',' => is_open_before_comma = true,
            _ => {}
        }
        is_open_before_comma &= quoted || depth > 0;
    }
    let last = text.get(start..).unwrap_or_default();
    if is_open_before_comma {
        return Err(FilterError::Form(last.to_owned()));
    }
    parts.push(last);
    Ok(parts)
}

fn unquoted(text: &str) -> String {
    let Some(inside) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else { return text.to_owned() };
    let mut plain = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => plain.extend(characters.next()),
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_filter() {
        for text in ["id", "id=1", "id=eq", "id=nope.1", "id=in.1,2", "id=in.(1,,2)", "id=in.(1,)", "flag=is.maybe"] {
            assert!(Filter::read_all(text).is_err(), "{text}");
        }
        for text in ["name=eq.\"a,id=eq.5", "name=eq.a(b,id=eq.5", "name=in.(\"a,b)", "id=eq.1,name=eq.(a,b"] {
            assert!(matches!(Filter::read_all(text), Err(FilterError::Form(_))), "{text}");
        }
        for text in ["size=eq.5\"", "note=eq.:(", "name=eq.\"a,b\"", "name=eq.(a,b)"] {
            assert_eq!(Filter::read_all(text).map(|filters| filters.len()), Ok(1), "{text}");
        }
        let many = format!("id=in.({})", vec!["1"; 101].join(","));
        assert_eq!(Filter::read_all(&many).unwrap_err(), FilterError::TooManyValues);
        let long = format!("title=match.{}", "a".repeat(MAX_PATTERN_BYTES + 1));
        assert_eq!(Filter::read_all(&long).unwrap_err(), FilterError::LongPattern);
    }

    #[test]
    fn several_conditions() {
        let filters = Filter::read_all("name=eq.\"Smith, John\",id=not.in.(1,2),note=like.a.b").unwrap();
        let expected = [
            ("name", false, Operator::Eq, vec!["Smith, John"]),
            ("id", true, Operator::In, vec!["1", "2"]),
            ("note", false, Operator::Like, vec!["a.b"]),
        ];
        for (filter, (column, negated, operator, values)) in filters.iter().zip(expected) {
            assert_eq!((filter.column.as_str(), filter.negated, filter.operator), (column, negated, operator));
            assert_eq!(filter.values, values.into_iter().map(|value| Some(value.to_owned())).collect::<Vec<_>>());
        }
        assert_eq!(filters.len(), 3);
        assert_eq!(Filter::read_all(" id=eq.1 , id=lt.3 ").unwrap().len(), 2);
        assert!(Filter::read_all("").unwrap().is_empty() && Filter::read_all("  ").unwrap().is_empty());
        for text in [",id=eq.1", "id=eq.1,", "id=eq.1, ,id=lt.3"] {
            assert_eq!(Filter::read_all(text).unwrap_err(), FilterError::EmptySegment, "{text}");
        }
    }
}
