//! Limits the size and depth of a message's HTML before a parser builds a tree from it.
//!
//! The cost of an HTML tree grows with its depth, with unclosed formatting elements (an HTML parser reopens them in each paragraph), and
//! with table cells that span rows. Therefore the HTML is first tokenized in linear time and serialised again. The result contains only
//! allowed tags, within limits on depth and number. The tags are nested correctly, and each element is closed where an HTML parser would
//! close it. Disallowed tags are removed, and the text inside them is kept.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, EndTag, ParseError, Tag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};

use super::{DROPPED_WITH_CONTENT, TAGS};

/// Maximum nesting depth of elements. Each quote and each list indents the plain text part of the mail, which has 76 columns.
const MAX_DEPTH: usize = 32;
/// Maximum nesting depth of tables. Each level pads the lines of the mail's plain text part again.
const MAX_TABLE_DEPTH: usize = 2;
/// Maximum number of elements in one message.
const MAX_ELEMENTS: usize = 20_000;
/// Maximum length of one tag or comment in bytes. An HTML parser compares each attribute of a tag with all earlier attributes, which takes quadratic
/// time.
const MAX_TAG_BYTES: usize = 4096;
const TOKENIZER_CHUNK_BYTES: usize = 1024;
/// Attributes that are kept, each with its element.
const KEPT_ATTRIBUTES: [(&str, &str); 3] = [("a", "href"), ("td", "colspan"), ("th", "colspan")];
const TABLE_PARTS: &[&str] = &["caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"];
const TABLE: &[&str] = &["table"];
/// Elements that limit end tags: an end tag inside such an element closes no element outside of it.
const CELLS: &[&str] = &["caption", "td", "th"];

/// Error for an HTML tag or comment that is longer than [`MAX_TAG_BYTES`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TagTooLong;

/// HTML within the limits on depth and number of elements, and whether the HTML contains any text.
pub(super) struct Outline {
    pub(super) html: String,
    pub(super) has_text: bool,
}

/// Parses HTML and serialises it again within the limits on depth and number of elements.
pub(super) fn outline(html: &str) -> Result<Outline, TagTooLong> {
    let tokenizer = Tokenizer::new(Sink(RefCell::new(Writer::default())), TokenizerOpts::default());
    let input = BufferQueue::default();
    let (mut rest, mut unfinished, mut tokens) = (html, 0, 0);
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.floor_char_boundary(TOKENIZER_CHUNK_BYTES));
        rest = after;
        input.push_back(StrTendril::from(chunk));
        let _ = tokenizer.feed(&input);
        let tokens_now = tokenizer.sink.0.borrow().tokens;
        unfinished = if tokens_now == tokens { unfinished + chunk.len() } else { 0 };
        tokens = tokens_now;
        if unfinished > MAX_TAG_BYTES {
            return Err(TagTooLong);
        }
    }
    tokenizer.end();
    let mut writer = tokenizer.sink.0.take();
    writer.close_to(0);
    Ok(Outline { html: writer.html, has_text: writer.has_text })
}

struct Sink(RefCell<Writer>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut writer = self.0.borrow_mut();
        match token {
            // Parse errors are ignored, because one tag can cause thousands of errors.
            ParseError(_) => return TokenSinkResult::Continue,
            TagToken(tag) if tag.kind == EndTag => writer.end_tag(&tag.name),
            TagToken(tag) => writer.start_tag(&tag),
            CharacterTokens(text) => writer.text(&text),
            _ => {}
        }
        writer.tokens += 1;
        writer.raw_text.take().map_or(TokenSinkResult::Continue, TokenSinkResult::RawData)
    }
}

#[derive(Default)]
struct Writer {
    html: String,
    has_text: bool,
    tokens: usize,
    /// Names of the open elements, outermost first.
    open: Vec<&'static str>,
    elements: usize,
    /// Number of start tags that were left out because of a limit and whose end tags have not been read yet. The same number of end tags
    /// must be left out.
    left_out: usize,
    /// The outermost element that is being removed together with its content. The number counts the open elements with the same name,
    /// including this element.
    dropped: Option<(&'static str, usize)>,
    /// Tokenizer state for the content of the current start tag if this content is raw text, otherwise `None`.
    raw_text: Option<RawKind>,
}

impl Writer {
    fn start_tag(&mut self, tag: &Tag) {
        self.raw_text = raw_text(&tag.name);
        if let Some((name, depth)) = &mut self.dropped {
            *depth += usize::from(*name == &*tag.name);
            return;
        }
        if let Some(name) = find(DROPPED_WITH_CONTENT, &tag.name) {
            self.dropped = Some((name, 1));
            return;
        }
        let Some(name) = find(TAGS, &tag.name) else { return };
        for (closed, barriers) in implied_ends(name) {
            self.close_nearest(closed, barriers);
        }
        let is_void = matches!(name, "br" | "hr");
        if !self.has_room(name, is_void) {
            self.left_out += usize::from(!is_void);
            return;
        }
        self.elements += 1;
        self.html.push('<');
        self.html.push_str(name);
        for attribute in &tag.attrs {
            let local = &*attribute.name.local;
            if KEPT_ATTRIBUTES.contains(&(name, local)) {
                self.html.push_str(&format!(" {local}=\"{}\"", super::escape(&attribute.value)));
            }
        }
        self.html.push('>');
        if !is_void {
            self.open.push(name);
        }
    }

    fn has_room(&self, name: &str, is_void: bool) -> bool {
        let tables = || self.open.iter().filter(|open| **open == "table").count();
        self.elements < MAX_ELEMENTS
            && (is_void || self.open.len() < MAX_DEPTH)
            && (name != "table" || tables() < MAX_TABLE_DEPTH)
    }

    fn end_tag(&mut self, name: &str) {
        if let Some((dropped, depth)) = &mut self.dropped {
            *depth -= usize::from(*dropped == name);
            if *depth == 0 {
                self.dropped = None;
            }
            return;
        }
        let Some(name) = find(TAGS, name) else { return };
        if self.left_out > 0 {
            self.left_out -= 1;
            return;
        }
        self.close_nearest(&[name], if TABLE_PARTS.contains(&name) { TABLE } else { CELLS });
    }

    fn text(&mut self, text: &str) {
        if self.dropped.is_none() {
            self.has_text = self.has_text || text.contains(|c: char| !c.is_whitespace());
            self.html.push_str(&super::escape_text(text));
        }
    }

    /// Closes the innermost open element whose name is in `names`, and all elements inside it. Closes nothing if an element whose name is
    /// in `barriers` is open inside that element.
    fn close_nearest(&mut self, names: &[&str], barriers: &[&str]) {
        let found = self.open.iter().rposition(|open| names.contains(open) || barriers.contains(open));
        if let Some(at) = found
            && self.open.get(at).is_some_and(|open| names.contains(open))
        {
            self.close_to(at);
        }
    }

    fn close_to(&mut self, depth: usize) {
        for name in self.open.drain(depth.min(self.open.len())..).rev() {
            self.html.push_str(&format!("</{name}>"));
        }
    }
}

fn find(names: &'static [&'static str], name: &str) -> Option<&'static str> {
    names.iter().copied().find(|known| *known == name)
}

/// Elements that one start tag closes. Each pair contains two lists of element names: the start tag closes the innermost open element whose
/// name is in the first list, unless an element whose name is in the second list is open inside that element.
type ImpliedEnds = &'static [(&'static [&'static str], &'static [&'static str])];

/// Returns the elements that a start tag closes implicitly (HTML Standard, 13.2.6.4.7 and the table insertion modes).
fn implied_ends(name: &str) -> ImpliedEnds {
    match name {
        "blockquote" | "div" | "dl" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hr" | "ol" | "p" | "pre" | "table"
        | "ul" => &[(&["p"], CELLS)],
        "a" => &[(&["a"], CELLS)],
        "li" => &[(&["li"], &["ol", "ul", "caption", "td", "th"]), (&["p"], CELLS)],
        "dd" | "dt" => &[(&["dd", "dt"], &["dl", "caption", "td", "th"]), (&["p"], CELLS)],
        "td" | "th" => &[(CELLS, TABLE)],
        "tr" => &[(&["tr"], TABLE), (CELLS, TABLE)],
        "caption" | "tbody" | "tfoot" | "thead" => {
            &[(&["tbody", "tfoot", "thead"], TABLE), (&["tr"], TABLE), (CELLS, TABLE)]
        }
        _ => &[],
    }
}

/// Returns the tokenizer state for elements whose content is raw text. Tags in raw text are not parsed. `None` for all other elements.
fn raw_text(name: &str) -> Option<RawKind> {
    match name {
        "script" => Some(RawKind::ScriptData),
        "style" | "iframe" | "noembed" | "noframes" | "xmp" => Some(RawKind::Rawtext),
        "title" | "textarea" => Some(RawKind::Rcdata),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::email_html::clean;

    /// Returns the nesting depth of HTML in which every tag is closed.
    fn depth_of(html: &str) -> usize {
        let (mut depth, mut deepest) = (0_usize, 0);
        for tag in html.split('<').skip(1) {
            match tag {
                _ if tag.starts_with('/') => depth = depth.saturating_sub(1),
                _ if tag.starts_with("br") || tag.starts_with("hr") => {}
                _ => depth += 1,
            }
            deepest = deepest.max(depth);
        }
        deepest
    }

    fn cleaned(html: &str) -> String {
        clean(html).unwrap().unwrap()
    }

    #[test]
    fn no_tree_is_deeper_than_the_bound() {
        for (open, close) in [
            ("<div>", ""),
            ("<div>", "</div>"),
            ("<blockquote>", ""),
            ("<b>", ""),
            ("<b>", "</i>"),
            ("<div>", "</p>"),
            ("<div><table>", "</div>"),
            ("<table><tr><td>", ""),
            ("<ul><li>", "</ul>"),
            ("<div></svg>", ""),
            ("<svg></svg><div>", ""),
        ] {
            let html = format!("{}x{}y", open.repeat(300), close.repeat(300));
            let cleaned = cleaned(&html);
            assert!(depth_of(&cleaned) <= MAX_DEPTH + 2, "{open}{close}: {}", depth_of(&cleaned));
            assert!(cleaned.contains('x') && cleaned.contains('y'), "{open}{close} lost its text");
        }
        let tables = cleaned(&format!("{}x", "<table><tr><td>".repeat(30)));
        assert_eq!(tables.matches("<table>").count(), MAX_TABLE_DEPTH);
    }

    /// An HTML parser reopens unclosed formatting elements in each paragraph. Without the limits, the parsed message could be thirty times
    /// longer.
    #[test]
    fn no_tree_is_larger_than_its_text() {
        let opened = "<b><i><u><small><code><em><strong>".repeat(4);
        for (html, repeated) in [
            (format!("<p>{opened}</p>"), "<p>x</p>"),
            (opened.clone(), "<div>x"),
            (format!("<table><tr><td>{opened}</td>"), "<td>x"),
            (format!("<ul><li>{opened}"), "<li>x"),
            (format!("<table>{opened}"), "<tr><td>x"),
            ("<b a=1><b a=2><b a=3>".to_owned(), "<p>x"),
            (String::new(), "<a href=//x><p>x"),
            (String::new(), "<b><p>x</b></p>"),
        ] {
            let html = html + &repeated.repeat(1000);
            let (before, after) = (html.len(), cleaned(&html).len());
            assert!(after < before * 4 + 1000, "{repeated}: {before} bytes became {after}");
        }
    }

    #[test]
    fn what_costs_more_than_its_length_is_left_out() {
        assert_eq!(cleaned("<table><tr><td rowspan=9999>x"), "<table><tbody><tr><td>x</td></tr></tbody></table>");
        let many = cleaned(&"<b>x</b>".repeat(MAX_ELEMENTS + 10));
        assert_eq!((many.matches("<b>").count(), many.matches('x').count()), (MAX_ELEMENTS, MAX_ELEMENTS + 10));
        let attributes: String = (0..MAX_TAG_BYTES).map(|number| format!(" a{number}")).collect();
        for html in [format!("x<b{attributes}>y"), format!("x<!-- {attributes} -->y"), format!("x<b a='{attributes}")] {
            assert_eq!(outline(&html).map(|_| ()), Err(TagTooLong));
        }
        assert!(outline(&format!("x<style>{attributes}</style><p>{attributes}")).is_ok());
    }

    #[test]
    fn a_message_as_people_write_it_is_laid_out_as_before() {
        for (html, expected) in [
            ("<p>a<p>b", "<p>a</p><p>b</p>"),
            ("<ul><li>a<li>b<ul><li>c</ul></ul>d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>d"),
            ("<b><div>a</div></b>", "<b><div>a</div></b>"),
            ("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>"),
            (
                "<table><td>a<td>b<tr><th>c</table>d",
                "<table><tbody><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></tbody></table>d",
            ),
            ("a</div></table>b", "ab"),
            ("<b>a<table><tr><td>b</b>c</table>", "<b>a<table><tbody><tr><td>bc</td></tr></tbody></table></b>"),
            ("a &lt;b&gt; &amp;amp; &eacute;", "a &lt;b&gt; &amp;amp; \u{e9}"),
            ("<svg><b>x</b><svg></svg>y</svg>z", "z"),
            ("<script>'<p>'</script>a<title></p>x</title>", "a"),
        ] {
            assert_eq!(cleaned(html), expected, "{html}");
        }
    }

    #[test]
    fn only_text_makes_a_message() {
        for html in
            ["", " \n", "<p></p>", "<br>&nbsp;", "<img src=https://t.example/p>", "<script>x</script>", "<!-- x -->"]
        {
            assert_eq!(clean(html).unwrap(), None, "{html:?}");
        }
    }
}
