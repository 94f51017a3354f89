//! Contextual escaping, as in Go's html/template: a value in a URL needs other escaping than the same value in a paragraph. An HTML
//! tokenizer processes the text of each template once. It appends escapers to each action that prints a value. The action's position in the
//! HTML determines the escapers. HTML comments are removed.

mod attributes;
mod context;
mod css;
mod entities;
pub(crate) mod escapers;
mod js;
mod text;
mod transition;

use std::collections::{BTreeMap, BTreeSet};

use crate::node::{Branch, List, Node, Operand, Pipe};
use crate::{Error, Position};
use context::{Context, Delim, State, UrlPart};

/// Maximum nesting of branches, loops and templates. The limit protects the stack: the escaper calls itself recursively for each level.
const MAX_NESTING: usize = 100;
/// Maximum number of processed nodes plus copied templates. Needed because the body of a loop is processed twice: in nested loops, the
/// number of processed nodes doubles with each level.
const MAX_STEPS: usize = 1_000_000;

/// Returns the templates with escapers: the main template, whose name is empty, and all templates that it calls.
pub(crate) fn escape(trees: BTreeMap<String, List>) -> Result<BTreeMap<String, List>, Error> {
    let mut escaper = Escaper { trees: &trees, inferred: Inferred::default(), loops: Vec::new(), nesting: 0, steps: 0 };
    let (end, _) = escaper.tree(Context::default(), "", Position::line(1))?;
    if end.state != State::Text {
        return Err(Error::new(Position::line(1), format!("ends in a non-text context: {:?}", end.state)));
    }
    Ok(escaper.inferred.written)
}

/// Results for the templates that are processed so far. A template that is called in several contexts has one copy with escapers for each
/// context.
#[derive(Clone, Default)]
struct Inferred {
    /// Context at the end of each processed copy of a template. The key is the name of the copy.
    ends: BTreeMap<String, Context>,
    written: BTreeMap<String, List>,
    called: BTreeSet<String>,
}

struct Escaper<'a> {
    trees: &'a BTreeMap<String, List>,
    inferred: Inferred,
    /// For each enclosing loop, the contexts at its `break` and `continue` actions, with the positions of these actions.
    loops: Vec<Vec<(Context, Position)>>,
    nesting: usize,
    steps: usize,
}

impl Escaper<'_> {
    fn spend(&mut self, steps: usize) -> Result<(), Error> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MAX_STEPS {
            Err(Error::new(Position::default(), "the template is too complicated"))
        } else {
            Ok(())
        }
    }

    fn list(&mut self, context: Context, list: &List) -> Result<(Context, List), Error> {
        if self.nesting >= MAX_NESTING {
            return Err(Error::new(
                Position::default(),
                format!("exceeded maximum template depth ({MAX_NESTING} with branches and loops)"),
            ));
        }
        self.nesting += 1;
        let ended = self.nodes(context, list);
        self.nesting -= 1;
        ended
    }

    fn nodes(&mut self, mut context: Context, list: &List) -> Result<(Context, List), Error> {
        let mut written = List::with_capacity(list.len());
        for node in list {
            self.spend(1)?;
            let (next, node) = self.node(context, node)?;
            context = next;
            written.push(node);
            if context.state == State::Dead {
                break;
            }
        }
        Ok((context, written))
    }

    fn node(&mut self, context: Context, node: &Node) -> Result<(Context, Node), Error> {
        Ok(match node {
            Node::Text(text) => {
                let (context, text) =
                    text::escape(context, text).map_err(|message| Error::new(Position::default(), message))?;
                (context, Node::Text(text))
            }
            Node::Action(pipe, at) => {
                let (context, pipe) = action(context, pipe).map_err(|message| Error::new(*at, message))?;
                (context, Node::Action(pipe, *at))
            }
            Node::If(branch) => self.branch(context, branch).map(|(context, branch)| (context, Node::If(branch)))?,
            Node::With(branch) => {
                self.branch(context, branch).map(|(context, branch)| (context, Node::With(branch)))?
            }
            Node::Range(branch) => {
                self.range(context, branch).map(|(context, branch)| (context, Node::Range(branch)))?
            }
            Node::Template { name, pipe, at } => {
                let (context, name) = self.tree(context, name, *at)?;
                (context, Node::Template { name, pipe: pipe.clone(), at: *at })
            }
            Node::Break(at) | Node::Continue(at) => {
                if let Some(innermost) = self.loops.last_mut() {
                    innermost.push((context, *at));
                }
                (Context::dead(), node.clone())
            }
        })
    }

    fn otherwise(&mut self, context: Context, branch: &Branch) -> Result<(Context, Option<List>), Error> {
        match &branch.otherwise {
            None => Ok((context, None)),
            Some(list) => self.list(context, list).map(|(context, list)| (context, Some(list))),
        }
    }

    fn branch(&mut self, context: Context, branch: &Branch) -> Result<(Context, Branch), Error> {
        let (first, list) = self.list(context.clone(), &branch.list)?;
        let (second, otherwise) = self.otherwise(context, branch)?;
        let end = first.join(second).map_err(|message| Error::new(branch.at, message))?;
        Ok((end, Branch { pipe: branch.pipe.clone(), list, otherwise, at: branch.at }))
    }

    /// Processes a `range` loop. Because the body may be repeated, the body is processed a second time, beginning in the context at its
    /// end. Fails if the second pass ends in an incompatible context.
    fn range(&mut self, context: Context, branch: &Branch) -> Result<(Context, Branch), Error> {
        self.loops.push(Vec::new());
        let (end, list) = self.list(context.clone(), &branch.list)?;
        let end = self.join_loop(end)?;
        self.spend(self.inferred.written.len())?;
        let before = self.inferred.clone();
        self.loops.push(Vec::new());
        let again = self.list(end.clone(), &branch.list);
        self.inferred = before;
        let failed = |message| Error::new(branch.at, format!("on range loop re-entry: {message}"));
        let again = again.map_err(|error| failed(error.message))?;
        let end = end.join(again.0).map_err(failed)?;
        let end = self.join_loop(end)?;
        let (second, otherwise) = self.otherwise(context, branch)?;
        let end = end.join(second).map_err(|message| Error::new(branch.at, message))?;
        Ok((end, Branch { pipe: branch.pipe.clone(), list, otherwise, at: branch.at }))
    }

    fn join_loop(&mut self, end: Context) -> Result<Context, Error> {
        self.loops.pop().unwrap_or_default().into_iter().try_fold(end, |end, (context, at)| {
            end.join(context).map_err(|message| Error::new(at, format!("at range loop break or continue: {message}")))
        })
    }

    /// Processes a call of the template `name` in the given context. Returns the context at the end of the template, and the name of the
    /// template's copy for this context.
    fn tree(&mut self, context: Context, name: &str, at: Position) -> Result<(Context, String), Error> {
        let own = match context.state {
            State::Text => name.to_owned(),
            _ => format!("{name}$html {context:?}"),
        };
        self.inferred.called.insert(own.clone());
        if let Some(end) = self.inferred.ends.get(&own) {
            return Ok((end.clone(), own));
        }
        let trees = self.trees;
        let Some(list) = trees.get(name) else { return Err(Error::new(at, format!("no such template {name:?}"))) };
        let guess = match self.body(context, &own, list) {
            Ok(Body::Right(end)) => return Ok((end, own)),
            Ok(Body::Other(end)) => end,
            Err(error) => return Err(error),
        };
        match self.body(guess, &own, list)? {
            Body::Right(end) => Ok((end, own)),
            Body::Other(_) => Err(Error::new(at, format!("cannot compute output context for template {name:?}"))),
        }
    }

    /// Processes the nodes of a template, which may call itself. To process such a call, assumes that the template ends in the context in
    /// which it begins. Returns [`Body::Other`] with the actual context at the end if the assumption is wrong.
    fn body(&mut self, context: Context, own: &str, list: &List) -> Result<Body, Error> {
        self.inferred.ends.insert(own.to_owned(), context.clone());
        self.spend(self.inferred.written.len())?;
        let before = self.inferred.clone();
        self.inferred.called.clear();
        let outcome = self.list(context.clone(), list);
        let is_right = outcome.as_ref().is_ok_and(|(end, _)| !self.inferred.called.contains(own) || *end == context);
        if !is_right {
            self.inferred = before;
            return outcome.map(|(end, _)| Body::Other(end));
        }
        let (end, written) = outcome?;
        self.inferred.called.extend(before.called);
        self.inferred.written.insert(own.to_owned(), written);
        Ok(Body::Right(end))
    }
}

enum Body {
    Right(Context),
    Other(Context),
}

/// Appends to an action the escapers for its position `context`. Returns the context after the action, and the changed pipeline.
fn action(context: Context, pipe: &Pipe) -> Result<(Context, Pipe), String> {
    if !pipe.variables.is_empty() {
        return Ok((context, pipe.clone()));
    }
    let mut context = context.nudge();
    for (at, command) in pipe.commands.iter().enumerate() {
        if let Some(Operand::Function(name)) = command.first()
            && is_predefined(name)
            && (at + 1 < pipe.commands.len()
                || (context.state == State::Attr && context.delim == Delim::SpaceOrTagEnd && name == "html"))
        {
            return Err(format!("predefined escaper {name:?} disallowed in template"));
        }
    }
    let escapers = escapers_of(&mut context)?;
    transition::behind_value(&mut context);
    Ok((context, with_escapers(pipe, escapers)))
}

fn escapers_of(context: &mut Context) -> Result<Vec<&'static str>, String> {
    let mut found = match context.state {
        State::Url | State::CssDqStr | State::CssSqStr | State::CssDqUrl | State::CssSqUrl | State::CssUrl => {
            let is_string = matches!(context.state, State::CssDqStr | State::CssSqStr);
            let normal = if is_string { "_css" } else { "_url" };
            match context.url_part {
                UrlPart::None => vec!["_url_filter", normal],
                UrlPart::PreQuery => vec![normal],
                UrlPart::QueryOrFragment => vec!["_url_part"],
                UrlPart::Unknown => return Err("the value appears in an ambiguous context within a URL".to_owned()),
            }
        }
        State::MetaContentUrl => vec!["_url_filter"],
        State::Js => vec!["_js_value"],
        State::JsDqStr | State::JsSqStr => vec!["_js_string"],
        State::JsTemplate => vec!["_js_template"],
        State::JsRegexp => vec!["_js_regexp"],
        State::Css => vec!["_css_value"],
        State::Text => vec!["_html"],
        State::RcData => vec!["_rcdata"],
        State::Attr | State::MetaContent => vec![],
        State::AttrName | State::Tag => {
            context.state = State::AttrName;
            vec!["_name"]
        }
        State::SrcSet => vec!["_srcset"],
        state if state.is_comment() => vec!["_comment"],
        state => return Err(format!("a value in the state {state:?}")),
    };
    match context.delim {
        Delim::None => {}
        Delim::SpaceOrTagEnd => found.push("_no_space"),
        Delim::DoubleQuote | Delim::SingleQuote => found.push("_attr"),
    }
    Ok(found)
}

/// Whether a template function is one of the escapers that Go calls predefined. A template may call them only as the last command of a
/// pipeline.
fn is_predefined(name: &str) -> bool {
    matches!(name, "html" | "urlquery")
}

/// Returns the name of the template function that has the same effect as the escaper `name`.
fn equivalent(name: &str) -> &str {
    match name {
        "_attr" | "_html" | "_rcdata" => "html",
        "_url_part" | "_url" => "urlquery",
        other => other,
    }
}

/// Whether `next` can be left out, because it would not change the output of the escaper `last`.
fn is_redundant(last: &str, next: &str) -> bool {
    matches!(
        (last, next),
        ("_comment", "_attr" | "_html")
            | ("_css" | "_js_regexp" | "_js_string" | "_js_template", "_attr")
            | ("_url_part", "_url")
    )
}

fn with_escapers(pipe: &Pipe, escapers: Vec<&'static str>) -> Pipe {
    let mut pipe = pipe.clone();
    if escapers.is_empty() {
        return pipe;
    }
    let mut names: Vec<String> = escapers.into_iter().map(str::to_owned).collect();
    let last = pipe.commands.last().and_then(|command| command.first());
    if let Some(Operand::Function(own)) = last
        && is_predefined(own)
    {
        let own = own.clone();
        if pipe.commands.len() == 1
            && let Some(command) = pipe.commands.first_mut()
            && command.len() > 1
        {
            // In `html a b`, the arguments `a` and `b` are first joined to one text (`_arguments`), and then `html` escapes this text.
            if let Some(function) = command.first_mut() {
                *function = Operand::Function("_arguments".to_owned());
            }
            pipe.commands.push(vec![Operand::Function(own.clone())]);
        }
        let mut has_equal = false;
        for name in &mut names {
            if equivalent(name) == own {
                name.clone_from(&own);
                has_equal = true;
            }
        }
        if has_equal {
            pipe.commands.pop();
        }
    }
    let present: BTreeSet<String> = pipe
        .commands
        .iter()
        .filter_map(|command| match command.first() {
            Some(Operand::Function(name)) => Some(equivalent(name).to_owned()),
            _ => None,
        })
        .collect();
    for name in names {
        let last = match pipe.commands.last().and_then(|command| command.first()) {
            Some(Operand::Function(last)) => last.as_str(),
            _ => "",
        };
        if !present.contains(equivalent(&name)) && !is_redundant(last, &name) {
            pipe.commands.push(vec![Operand::Function(name)]);
        }
    }
    pipe
}
