//! Parses the tokens of a template into syntax trees, with the grammar of Go's text/template/parse.

mod pipeline;

use std::collections::BTreeMap;

use crate::lex::{self, Kind, Token};
use crate::literal;
use crate::node::{Branch, List, Node};
use crate::{Error, Position};

/// Maximum nesting of parentheses and of control structures. The limit protects the stack, because the syntax tree is processed
/// recursively.
const MAX_DEPTH: usize = 100;

/// Parses a template's text. Returns the syntax trees of all templates in the text by name. The name of the main template is empty.
pub(crate) fn parse(text: &str) -> Result<BTreeMap<String, List>, Error> {
    let mut parser = Parser {
        tokens: lex::tokens(text)?.into(),
        variables: vec!["$".to_owned()],
        trees: BTreeMap::new(),
        loops: 0,
        depth: 0,
    };
    let list = parser.top_level()?;
    parser.add(String::new(), list)?;
    Ok(parser.trees)
}

struct Parser {
    tokens: std::collections::VecDeque<Token>,
    variables: Vec<String>,
    trees: BTreeMap<String, List>,
    loops: usize,
    depth: usize,
}

/// The element that ended a list of nodes: the action `{{end}}`, the action `{{else}}`, or the end of the text.
#[derive(PartialEq)]
enum Ending {
    End,
    Else,
    Text,
}

/// A parsed node, or the action that ends the list of nodes.
enum Item {
    Node(Node),
    End,
    Else,
}

fn show(kind: &Kind) -> String {
    match kind {
        Kind::End => "EOF".to_owned(),
        Kind::Keyword(keyword) => format!("<{keyword}>"),
        Kind::Open => "\"{{\"".to_owned(),
        Kind::Close => "\"}}\"".to_owned(),
        Kind::Text(text) => format!("{:?}", text.chars().take(20).collect::<String>()),
        Kind::Space => "space".to_owned(),
        Kind::Declare => "\":=\"".to_owned(),
        Kind::Assign => "\"=\"".to_owned(),
        Kind::Pipe => "\"|\"".to_owned(),
        Kind::LeftParen => "\"(\"".to_owned(),
        Kind::RightParen => "\")\"".to_owned(),
        Kind::Char(c) => format!("{c:?}"),
        Kind::Dot => "<.>".to_owned(),
        Kind::Field(name) => format!("<.{name}>"),
        Kind::Variable(name) | Kind::Identifier(name) | Kind::Number(name) => format!("{name:?}"),
        Kind::Bool(value) => format!("\"{value}\""),
        Kind::Rune(text) | Kind::Quoted(text) | Kind::Raw(text) => text.clone(),
    }
}

/// Whether a template contains only white space. As in Go, another definition of the same name may replace such a template.
fn is_empty(list: &List) -> bool {
    list.iter().all(|node| matches!(node, Node::Text(text) if text.trim().is_empty()))
}

impl Parser {
    fn at(&self) -> Position {
        self.tokens.front().map(|token| token.at).unwrap_or_default()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::new(self.at(), message))
    }

    fn peek(&self) -> &Kind {
        self.tokens.front().map_or(&Kind::End, |token| &token.kind)
    }

    fn next(&mut self) -> Kind {
        self.tokens.pop_front().map_or(Kind::End, |token| token.kind)
    }

    fn skip_space(&mut self) {
        while *self.peek() == Kind::Space {
            self.next();
        }
    }

    fn peek_solid(&mut self) -> &Kind {
        self.skip_space();
        self.peek()
    }

    fn expect_close(&mut self, context: &str) -> Result<(), Error> {
        if *self.peek_solid() != Kind::Close {
            return self.fail(format!("unexpected {} in {context}", show(self.peek())));
        }
        self.next();
        Ok(())
    }

    fn add(&mut self, name: String, list: List) -> Result<(), Error> {
        match self.trees.get(&name) {
            Some(old) if !is_empty(old) => {
                if !is_empty(&list) {
                    return self.fail(format!("multiple definition of template {name:?}"));
                }
            }
            _ => _ = self.trees.insert(name, list),
        }
        Ok(())
    }

    /// Parses the whole text of a template, including definitions of named templates.
    fn top_level(&mut self) -> Result<List, Error> {
        let mut list = List::new();
        loop {
            if *self.peek() == Kind::End {
                return Ok(list);
            }
            if *self.peek() == Kind::Open && self.is_definition() {
                self.definition()?;
                continue;
            }
            match self.item()? {
                Item::Node(node) => list.push(node),
                Item::End => return self.fail("unexpected {{end}}"),
                Item::Else => return self.fail("unexpected {{else}}"),
            }
        }
    }

    fn is_definition(&self) -> bool {
        let mut inside = self.tokens.iter().skip(1).map(|token| &token.kind).filter(|kind| **kind != Kind::Space);
        inside.next() == Some(&Kind::Keyword("define"))
    }

    fn definition(&mut self) -> Result<(), Error> {
        self.next();
        self.skip_space();
        self.next();
        let name = self.template_name("define clause")?;
        self.expect_close("define clause")?;
        let list = self.separate("define clause")?;
        self.add(name, list)
    }

    /// Parses the body of a named template up to its `{{end}}`. The body cannot use variables and loops of the surrounding text.
    fn separate(&mut self, context: &str) -> Result<List, Error> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let loops = std::mem::take(&mut self.loops);
        let (list, ending) = self.list()?;
        (self.variables, self.loops) = (variables, loops);
        match ending {
            Ending::End => Ok(list),
            Ending::Else => self.fail(format!("unexpected {{{{else}}}} in {context}")),
            Ending::Text => self.fail("unexpected EOF"),
        }
    }

    fn list(&mut self) -> Result<(List, Ending), Error> {
        let mut list = List::new();
        while *self.peek() != Kind::End {
            match self.item()? {
                Item::Node(node) => list.push(node),
                Item::End => return Ok((list, Ending::End)),
                Item::Else => return Ok((list, Ending::Else)),
            }
        }
        Ok((list, Ending::Text))
    }

    fn item(&mut self) -> Result<Item, Error> {
        let at = self.at();
        match self.next() {
            Kind::Text(text) => Ok(Item::Node(Node::Text(text))),
            Kind::Open => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.fail("control structures are nested too deeply");
                }
                let item = self.action(at);
                self.depth -= 1;
                item
            }
            other => Err(Error::new(at, format!("unexpected {} in input", show(&other)))),
        }
    }

    fn action(&mut self, at: Position) -> Result<Item, Error> {
        let Kind::Keyword(keyword) = *self.peek_solid() else { return self.print(at) };
        if keyword == "nil" || keyword == "define" {
            return self.print(at);
        }
        self.next();
        let node = match keyword {
            "end" => {
                self.expect_close("end")?;
                return Ok(Item::End);
            }
            "else" => {
                // In `else if` and `else with`, the keyword `if` or `with` is not consumed here. It begins the next control structure.
                if !matches!(self.peek_solid(), Kind::Keyword("if" | "with")) {
                    self.expect_close("else")?;
                }
                return Ok(Item::Else);
            }
            "if" => Node::If(self.branch("if", at)?),
            "with" => Node::With(self.branch("with", at)?),
            "range" => Node::Range(self.branch("range", at)?),
            "break" | "continue" => {
                self.expect_close(&format!("{{{{{keyword}}}}}"))?;
                if self.loops == 0 {
                    return Err(Error::new(at, format!("{{{{{keyword}}}}} outside {{{{range}}}}")));
                }
                if keyword == "break" { Node::Break(at) } else { Node::Continue(at) }
            }
            "template" => {
                let name = self.template_name("template clause")?;
                let pipe = if *self.peek_solid() == Kind::Close {
                    self.next();
                    None
                } else {
                    Some(self.pipeline("template clause", &Kind::Close)?)
                };
                Node::Template { name, pipe, at }
            }
            _ => {
                let name = self.template_name("block clause")?;
                let pipe = self.pipeline("block clause", &Kind::Close)?;
                let list = self.separate("block clause")?;
                self.add(name.clone(), list)?;
                Node::Template { name, pipe: Some(pipe), at }
            }
        };
        Ok(Item::Node(node))
    }

    fn print(&mut self, at: Position) -> Result<Item, Error> {
        let pipe = self.pipeline("command", &Kind::Close)?;
        Ok(Item::Node(Node::Action(pipe, at)))
    }

    fn template_name(&mut self, context: &str) -> Result<String, Error> {
        let at = self.at();
        self.skip_space();
        match self.next() {
            Kind::Quoted(text) => literal::string(&text).map_err(|message| Error::new(at, message)),
            Kind::Raw(text) => Ok(text),
            other => Err(Error::new(at, format!("unexpected {} in {context}", show(&other)))),
        }
    }

    fn branch(&mut self, context: &'static str, at: Position) -> Result<Branch, Error> {
        let seen = self.variables.len();
        let pipe = self.pipeline(context, &Kind::Close)?;
        self.loops += usize::from(context == "range");
        let (list, ending) = self.list()?;
        self.loops -= usize::from(context == "range");
        let otherwise = match ending {
            Ending::Text => return self.fail("unexpected EOF"),
            Ending::End => None,
            Ending::Else => Some(self.otherwise(context)?),
        };
        self.variables.truncate(seen);
        Ok(Branch { pipe, list, otherwise, at })
    }

    fn otherwise(&mut self, context: &'static str) -> Result<List, Error> {
        let at = self.at();
        if let Kind::Keyword(keyword @ ("if" | "with")) = *self.peek_solid() {
            if keyword != context {
                return self.fail(format!("unexpected <{keyword}> in else"));
            }
            self.next();
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return self.fail("control structures are nested too deeply");
            }
            let branch = self.branch(context, at);
            self.depth -= 1;
            return Ok(vec![if context == "if" { Node::If(branch?) } else { Node::With(branch?) }]);
        }
        match self.list()? {
            (list, Ending::End) => Ok(list),
            (_, Ending::Else) => self.fail("expected end; found {{else}}"),
            (_, Ending::Text) => self.fail("unexpected EOF"),
        }
    }
}
