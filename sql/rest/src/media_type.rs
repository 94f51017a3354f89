//! Media types of request and response bodies.

/// Output format of a query plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named as in the media type")]
pub enum PlanFormat {
    Text,
    Json,
}

/// A media type that the REST API supports.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// `application/json`
    Json,
    /// `application/vnd.pgrst.array+json;nulls=stripped`
    ArrayStripped,
    /// `application/vnd.pgrst.object+json`
    Object {
        /// Whether the media type has the parameter `nulls=stripped`.
        stripped: bool,
    },
    /// `application/geo+json`
    GeoJson,
    /// `text/csv`
    Csv,
    /// `text/plain`
    Text,
    /// `text/xml`
    Xml,
    /// `application/openapi+json`
    OpenApi,
    /// `application/x-www-form-urlencoded`
    Form,
    /// `application/octet-stream`
    OctetStream,
    /// `*/*`
    Any,
    /// `application/vnd.pgrst.plan`
    Plan {
        /// Media type of the response whose query plan is requested.
        of: Box<MediaType>,
        /// Output format of the query plan.
        format: PlanFormat,
        /// Options of EXPLAIN: `analyze`, `verbose`, `settings`, `buffers`, `wal`, in this order.
        options: Vec<&'static str>,
    },
    /// Any other media type, as written in the header.
    Other(String),
}

const PLAN_OPTIONS: [&str; 5] = ["analyze", "verbose", "settings", "buffers", "wal"];

impl MediaType {
    /// Parses a single media type with its parameters. A malformed text and an unsupported media type become [`MediaType::Other`].
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let Some((kind, parameters)) = split(text) else { return Self::Other(text.to_owned()) };
        let parameter = |name: &str| {
            let found = parameters.iter().rev().find(|(key, _)| key.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.as_str())
        };
        let stripped = parameter("nulls") == Some("stripped");
        let plan = |format| {
            let chosen: Vec<&str> = parameter("options").unwrap_or_default().split('|').collect();
            let options = PLAN_OPTIONS.into_iter().filter(|option| chosen.contains(option)).collect();
            let of = Box::new(Self::parse(parameter("for").unwrap_or("application/json")));
            Self::Plan { of, format, options }
        };
        match kind.to_lowercase().as_str() {
            "application/json" => Self::Json,
            "application/geo+json" => Self::GeoJson,
            "text/csv" => Self::Csv,
            "text/plain" => Self::Text,
            "text/xml" => Self::Xml,
            "application/openapi+json" => Self::OpenApi,
            "application/x-www-form-urlencoded" => Self::Form,
            "application/octet-stream" => Self::OctetStream,
            "application/vnd.pgrst.plan" | "application/vnd.pgrst.plan+text" => plan(PlanFormat::Text),
            "application/vnd.pgrst.plan+json" => plan(PlanFormat::Json),
            "application/vnd.pgrst.object+json" | "application/vnd.pgrst.object" => Self::Object { stripped },
            "application/vnd.pgrst.array+json" | "application/vnd.pgrst.array" if stripped => Self::ArrayStripped,
            "application/vnd.pgrst.array+json" | "application/vnd.pgrst.array" => Self::Json,
            "*/*" => Self::Any,
            _ => Self::Other(text.to_owned()),
        }
    }

    /// Returns the media type as a header value.
    #[must_use]
    pub fn to_mime(&self) -> String {
        let fixed = match self {
            Self::Json => "application/json",
            Self::ArrayStripped => "application/vnd.pgrst.array+json;nulls=stripped",
            Self::Object { stripped: true } => "application/vnd.pgrst.object+json;nulls=stripped",
            Self::Object { stripped: false } => "application/vnd.pgrst.object+json",
            Self::GeoJson => "application/geo+json",
            Self::Csv => "text/csv",
            Self::Text => "text/plain",
            Self::Xml => "text/xml",
            Self::OpenApi => "application/openapi+json",
            Self::Form => "application/x-www-form-urlencoded",
            Self::OctetStream => "application/octet-stream",
            Self::Any => "*/*",
            Self::Other(text) => text,
            Self::Plan { of, format, options } => {
                let format = if *format == PlanFormat::Json { "json" } else { "text" };
                let options =
                    if options.is_empty() { String::new() } else { format!("; options={}", options.join("|")) };
                return format!("application/vnd.pgrst.plan+{format}; for=\"{}\"{options}", of.to_mime());
            }
        };
        fixed.to_owned()
    }

    /// Returns the `Content-Type` header of a response with this media type.
    #[must_use]
    pub fn content_type(&self) -> String {
        match self {
            Self::OctetStream | Self::Other(_) => self.to_mime(),
            _ => format!("{}; charset=utf-8", self.to_mime()),
        }
    }
}

/// Splits a media type into `type/subtype` and the parameters. Returns `None` if the text is malformed.
fn split(text: &str) -> Option<(String, Vec<(String, String)>)> {
    let is_main = |c: char| c.is_alphanumeric() || matches!(c, '.' | '*');
    let is_sub = |c: char| is_main(c) || matches!(c, '+' | '-');
    let (main, rest) = text.split_once('/')?;
    let end = rest.find(|c| !is_sub(c)).unwrap_or(rest.len());
    let (sub, mut rest) = rest.split_at_checked(end)?;
    if main.is_empty() || !main.chars().all(is_main) || sub.is_empty() {
        return None;
    }
    let mut parameters = Vec::new();
    while let Some((parameter, after)) = parameter(rest) {
        parameters.push(parameter);
        rest = after;
    }
    Some((format!("{main}/{sub}"), parameters))
}

/// Parses `; key=value` or `; key="value"`. Returns the parameter and the remaining text.
fn parameter(text: &str) -> Option<((String, String), &str)> {
    let text = text.trim_start().strip_prefix(';')?.trim_start();
    let (key, value) = text.split_once('=')?;
    let key = key.trim_end();
    if key.is_empty() || !key.chars().all(|c| c.is_alphanumeric() || c == '-') {
        return None;
    }
    let value = value.trim_start();
    if let Some(quoted) = value.strip_prefix('"') {
        let (value, rest) = quoted.split_once('"')?;
        return Some(((key.to_owned(), value.to_owned()), rest));
    }
    let end = value.find(|c: char| !c.is_alphanumeric() && !matches!(c, '|' | '-')).unwrap_or(value.len());
    let (value, rest) = value.split_at_checked(end)?;
    (!value.is_empty()).then(|| ((key.to_owned(), value.to_owned()), rest))
}

/// Parses an `Accept` header. Returns the media types, sorted by quality and then by specificity.
#[must_use]
pub fn parse_accept(header: &str) -> Vec<MediaType> {
    let mut entries: Vec<(f64, isize, String)> = header.split(',').map(weigh).collect();
    entries.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    entries.into_iter().map(|(_, _, entry)| MediaType::parse(&entry)).collect()
}

/// Returns the quality of an `Accept` entry, its specificity, and the entry without the quality parameter `q`.
fn weigh(entry: &str) -> (f64, isize, String) {
    let entry = entry.replace(' ', "");
    let (kind, quality) = match entry.split_once(";q=") {
        Some((kind, rest)) => (kind, rest.split(';').next().and_then(|text| text.parse().ok())),
        None => (entry.as_str(), None),
    };
    let count = |letter| isize::try_from(kind.matches(letter).count()).unwrap_or_default();
    (quality.unwrap_or(1.0), count(';') - count('*'), kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parameters() {
        assert_eq!(MediaType::parse("Application/vnd.pgrst.Object+json"), MediaType::Object { stripped: false });
        assert_eq!(
            MediaType::parse("application/vnd.pgrst.object+json;nulls=stripped"),
            MediaType::Object { stripped: true }
        );
        let plan = MediaType::parse("application/vnd.pgrst.plan+json; for=\"text/csv\"; options=wal|analyze;");
        assert_eq!(plan.to_mime(), "application/vnd.pgrst.plan+json; for=\"text/csv\"; options=analyze|wal");
        assert_eq!(MediaType::parse("image/png"), MediaType::Other("image/png".to_owned()));
        assert_eq!(MediaType::parse("*"), MediaType::Other("*".to_owned()));
    }

    #[test]
    fn sorts_by_quality_and_specificity() {
        let found = parse_accept("text/csv;q=0.5, */*, application/json");
        assert_eq!(found, [MediaType::Json, MediaType::Any, MediaType::Csv]);
    }
}
