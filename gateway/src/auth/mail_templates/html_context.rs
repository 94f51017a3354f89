//! Where in an HTML page a value stands: what reads the page decides what is dangerous there.

/// Where in an HTML page a text ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Tag,
    /// In an attribute's value: what closes it, and whether it is an address.
    Attribute(Option<char>, Address),
    Script,
    Style,
    Comment,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Address {
    No,
    Start,
    Rest,
    Query,
}

/// Reads a page piece by piece and knows which escaper the next value needs.
pub(crate) struct Scanner {
    place: Place,
    tag: String,
    attribute: String,
}

impl Scanner {
    pub(crate) fn new() -> Self {
        Self { place: Place::Text, tag: String::new(), attribute: String::new() }
    }

    /// The function's name in a template.
    pub(crate) fn escaper(&self) -> &'static str {
        match self.place {
            Place::Text | Place::Comment | Place::Tag | Place::Attribute(_, Address::No) => "_html",
            Place::Attribute(_, Address::Start | Address::Rest) => "_url",
            Place::Attribute(_, Address::Query) => "_query",
            Place::Script => "_js",
            Place::Style => "_css",
        }
    }

    /// A value was printed: what follows is no longer the start of an address.
    pub(crate) fn printed(&mut self) {
        if let Place::Attribute(quote, Address::Start) = self.place {
            self.place = Place::Attribute(quote, Address::Rest);
        }
    }

    pub(crate) fn read(&mut self, text: &str) {
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            rest = match self.place {
                Place::Text => self.read_text(rest),
                Place::Comment => self.skip_to(rest, "-->"),
                Place::Script => self.skip_to_tag(rest, "</script"),
                Place::Style => self.skip_to_tag(rest, "</style"),
                Place::Tag | Place::Attribute(..) => {
                    self.read_in_tag(c);
                    rest.get(c.len_utf8()..).unwrap_or_default()
                }
            };
        }
    }

    fn read_text<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some((_, tag)) = rest.split_once('<') else {
            return "";
        };
        if let Some(comment) = tag.strip_prefix("!--") {
            self.place = Place::Comment;
            return comment;
        }
        let name = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '/' && c != '!').unwrap_or(tag.len());
        let (name, rest) = tag.split_at(name);
        if !name.is_empty() {
            self.tag = name.to_ascii_lowercase();
            self.attribute.clear();
            self.place = Place::Tag;
        }
        rest
    }

    fn skip_to<'a>(&mut self, rest: &'a str, end: &str) -> &'a str {
        match rest.split_once(end) {
            Some((_, after)) => {
                self.place = Place::Text;
                after
            }
            None => "",
        }
    }

    fn skip_to_tag<'a>(&mut self, rest: &'a str, end: &str) -> &'a str {
        match rest.to_ascii_lowercase().find(end) {
            Some(at) => {
                self.place = Place::Text;
                rest.get(at..).unwrap_or_default()
            }
            None => "",
        }
    }

    fn read_in_tag(&mut self, c: char) {
        match self.place {
            Place::Tag if c == '>' => {
                self.place = match self.tag.as_str() {
                    "script" => Place::Script,
                    "style" => Place::Style,
                    _ => Place::Text,
                };
            }
            Place::Tag if c == '=' => self.place = Place::Attribute(None, self.address()),
            Place::Tag if c.is_whitespace() => self.attribute.clear(),
            Place::Tag => self.attribute.push(c.to_ascii_lowercase()),
            Place::Attribute(None, address) => match c {
                '"' | '\'' => self.place = Place::Attribute(Some(c), address),
                '>' => self.place = Place::Text,
                c if c.is_whitespace() => {
                    self.place = Place::Tag;
                    self.attribute.clear();
                }
                c => self.place = Place::Attribute(None, address.after(c)),
            },
            Place::Attribute(Some(quote), _) if c == quote => {
                self.place = Place::Tag;
                self.attribute.clear();
            }
            Place::Attribute(quote, address) => self.place = Place::Attribute(quote, address.after(c)),
            Place::Text | Place::Script | Place::Style | Place::Comment => {}
        }
    }

    fn address(&self) -> Address {
        let addresses = ["href", "src", "action", "formaction", "background", "cite", "poster", "xlink:href"];
        if addresses.contains(&self.attribute.as_str()) { Address::Start } else { Address::No }
    }
}

impl Address {
    fn after(self, c: char) -> Self {
        match self {
            Self::No => Self::No,
            Self::Query => Self::Query,
            Self::Start | Self::Rest if matches!(c, '?' | '#' | '&') => Self::Query,
            Self::Start | Self::Rest => Self::Rest,
        }
    }
}
