//! Describes the position in HTML, CSS or JavaScript at which a template inserts a value. This description determines the escapers for the
//! value. Go's html/template uses the same description.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    #[default]
    Text,
    Tag,
    AttrName,
    AfterName,
    BeforeValue,
    HtmlComment,
    /// Content of `<title>` or `<textarea>`, which contains character references but no tags.
    RcData,
    Attr,
    Url,
    SrcSet,
    MetaContent,
    MetaContentUrl,
    Js,
    JsDqStr,
    JsSqStr,
    JsTemplate,
    JsRegexp,
    JsBlockComment,
    JsLineComment,
    JsHtmlOpenComment,
    JsHtmlCloseComment,
    Css,
    CssDqStr,
    CssSqStr,
    CssDqUrl,
    CssSqUrl,
    CssUrl,
    CssBlockComment,
    CssLineComment,
    /// Position after the action `break` or `continue`, which is never reached.
    Dead,
}

impl State {
    pub(super) fn is_comment(self) -> bool {
        matches!(
            self,
            Self::HtmlComment
                | Self::JsBlockComment
                | Self::JsLineComment
                | Self::JsHtmlOpenComment
                | Self::JsHtmlCloseComment
                | Self::CssBlockComment
                | Self::CssLineComment
        )
    }

    /// Whether the position is inside a string, template literal or regular expression of JavaScript.
    pub(super) fn is_js_literal(self) -> bool {
        matches!(self, Self::JsDqStr | Self::JsSqStr | Self::JsTemplate | Self::JsRegexp)
    }
}

/// The delimiter that ends the value of the HTML attribute at the position: a quote, or a space or `>` if the value has no quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Delim {
    #[default]
    None,
    DoubleQuote,
    SingleQuote,
    SpaceOrTagEnd,
}

impl Delim {
    pub(super) fn ends(self) -> &'static [u8] {
        match self {
            Self::None => b"",
            Self::DoubleQuote => b"\"",
            Self::SingleQuote => b"'",
            Self::SpaceOrTagEnd => b" \t\n\x0c\r>",
        }
    }
}

/// The part of a URL in which the position is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum UrlPart {
    #[default]
    None,
    PreQuery,
    QueryOrFragment,
    /// Before this position, two branches of the template end in different parts of the URL.
    Unknown,
}

/// Meaning of a `/` at the position in JavaScript: it begins a regular expression, or it is a division operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum JsCtx {
    #[default]
    Regexp,
    DivOp,
    Unknown,
}

/// HTML element that contains the position, if its content or attributes need special escaping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    #[default]
    None,
    Script,
    Style,
    TextArea,
    Title,
    Meta,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Attr {
    #[default]
    None,
    Script,
    ScriptType,
    Style,
    Url,
    SrcSet,
    MetaContent,
}

impl Attr {
    /// Returns the state at the beginning of the HTML attribute's value.
    pub(super) fn start(self) -> State {
        match self {
            Self::None | Self::ScriptType => State::Attr,
            Self::Script => State::Js,
            Self::Style => State::Css,
            Self::Url => State::Url,
            Self::SrcSet => State::SrcSet,
            Self::MetaContent => State::MetaContent,
        }
    }
}

/// Position at which a template inserts a value, in HTML, CSS or JavaScript.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Context {
    pub(super) state: State,
    pub(super) delim: Delim,
    pub(super) url_part: UrlPart,
    pub(super) js_ctx: JsCtx,
    pub(super) js_braces: Vec<i32>,
    pub(super) attr: Attr,
    pub(super) element: Element,
}

impl Context {
    pub(super) fn of(state: State, element: Element) -> Self {
        Self { state, element, ..Self::default() }
    }

    pub(super) fn dead() -> Self {
        Self::of(State::Dead, Element::None)
    }

    /// Returns the context of a value that is inserted exactly at this position. The presence of a value can change the context: a value
    /// after `<a href=` is a URL without quotes.
    pub(super) fn nudge(mut self) -> Self {
        match self.state {
            State::Tag => self.state = State::AttrName,
            State::BeforeValue => {
                (self.state, self.delim, self.attr) = (self.attr.start(), Delim::SpaceOrTagEnd, Attr::None);
            }
            State::AfterName => (self.state, self.attr) = (State::AttrName, Attr::None),
            _ => {}
        }
        self
    }

    /// Returns the common context after two branches of a template, which end in the contexts `self` and `other`. Fails if a value after
    /// the branches could not be escaped correctly for both contexts.
    pub(super) fn join(self, other: Self) -> Result<Self, String> {
        if self.state == State::Dead {
            return Ok(other);
        }
        if other.state == State::Dead || self == other {
            return Ok(self);
        }
        let mut joined = Self { url_part: other.url_part, ..self.clone() };
        if joined == other {
            joined.url_part = UrlPart::Unknown;
            return Ok(joined);
        }
        let mut joined = Self { js_ctx: other.js_ctx, ..self.clone() };
        if joined == other {
            joined.js_ctx = JsCtx::Unknown;
            return Ok(joined);
        }
        let (one, two) = (self.clone().nudge(), other.clone().nudge());
        if (one != self || two != other)
            && let Ok(joined) = one.join(two)
        {
            return Ok(joined);
        }
        Err(format!("branches end in different contexts: {:?}, {:?}", self.state, other.state))
    }
}
