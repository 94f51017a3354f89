//! Executes parsed templates with the rules of Go's text/template/exec.

use std::collections::BTreeMap;

use crate::funcs;
use crate::node::{Branch, Command, List, Node, Operand, Pipe};
use crate::print;
use crate::value::Value;
use crate::{Error, Position};

const MAX_OUTPUT_BYTES: usize = 4 << 20;
const MAX_ITERATIONS: usize = 1_000_000;
/// Maximum nesting of template calls (`{{template}}`).
const MAX_TEMPLATES: usize = 100;
/// Maximum nesting of branches, loops and template calls. The limit protects the stack: the interpreter calls itself recursively for each
/// level.
const MAX_NESTING: usize = 150;
/// Maximum cost of rendering a template, in bytes that functions read and write, plus [`STEP`] for each step. Without this limit, a
/// template could run almost forever or use up the memory. For example, if each template of a chain calls the next template twice, the
/// number of steps doubles with each template. A text that is joined with itself doubles its length each time.
const MAX_WORK: usize = 256 << 20;
/// Cost of each execution step in addition to the bytes that it reads and writes, expressed in bytes.
const STEP: usize = 64;

/// Executes the main template, whose name is empty.
pub(crate) fn run(trees: &BTreeMap<String, List>, data: Value) -> Result<String, Error> {
    let root = trees.get("").map_or(&[][..], Vec::as_slice);
    let mut state = State {
        trees,
        out: String::new(),
        variables: vec![("$".to_owned(), data.clone())],
        depth: 0,
        nesting: 0,
        iterations: 0,
        work: 0,
        at: Position::default(),
    };
    state.list(&data, root)?;
    Ok(state.out)
}

struct State<'a> {
    trees: &'a BTreeMap<String, List>,
    out: String,
    variables: Vec<(String, Value)>,
    depth: usize,
    nesting: usize,
    iterations: usize,
    work: usize,
    at: Position,
}

#[derive(PartialEq)]
enum Flow {
    On,
    Break,
    Continue,
}

impl State<'_> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Error> {
        Err(Error::new(self.at, message))
    }

    /// Adds the cost of an execution step, `bytes` and [`STEP`], to the total. Fails if the total cost exceeds [`MAX_WORK`].
    fn spend(&mut self, bytes: usize) -> Result<(), Error> {
        self.work = self.work.saturating_add(bytes).saturating_add(STEP);
        if self.work > MAX_WORK { self.fail("the template takes too long") } else { Ok(()) }
    }

    fn list(&mut self, dot: &Value, list: &[Node]) -> Result<Flow, Error> {
        if self.nesting >= MAX_NESTING {
            return self.fail(format!("exceeded maximum template depth ({MAX_NESTING} with branches and loops)"));
        }
        self.nesting += 1;
        let flow = self.nodes(dot, list);
        self.nesting -= 1;
        flow
    }

    fn nodes(&mut self, dot: &Value, list: &[Node]) -> Result<Flow, Error> {
        for node in list {
            self.spend(0)?;
            let flow = self.node(dot, node)?;
            if self.out.len() > MAX_OUTPUT_BYTES {
                return self.fail("the output is too long");
            }
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn node(&mut self, dot: &Value, node: &Node) -> Result<Flow, Error> {
        match node {
            Node::Text(text) => self.out.push_str(text),
            Node::Action(pipe, _) => {
                let value = self.pipe(dot, pipe)?;
                if pipe.variables.is_empty() {
                    self.out.push_str(&print::printed(&value));
                }
            }
            Node::If(branch) => return self.branch(dot, branch, false),
            Node::With(branch) => return self.branch(dot, branch, true),
            Node::Range(branch) => return self.range(dot, branch),
            Node::Template { name, pipe, at } => self.template(dot, name, pipe.as_ref(), *at)?,
            Node::Break(_) => return Ok(Flow::Break),
            Node::Continue(_) => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    fn branch(&mut self, dot: &Value, branch: &Branch, sets_dot: bool) -> Result<Flow, Error> {
        let seen = self.variables.len();
        let value = self.pipe(dot, &branch.pipe)?;
        let flow = if value.is_true() {
            self.list(if sets_dot { &value } else { dot }, &branch.list)
        } else {
            branch.otherwise.as_ref().map_or(Ok(Flow::On), |list| self.list(dot, list))
        };
        self.variables.truncate(seen);
        flow
    }

    fn range(&mut self, dot: &Value, branch: &Branch) -> Result<Flow, Error> {
        let seen = self.variables.len();
        let value = self.pipe(dot, &branch.pipe)?;
        let flow = match &value {
            Value::Missing | Value::Null => Ok(false),
            Value::List(list) => self.each(branch, list.iter().enumerate().map(|(at, item)| (index(at), item.clone()))),
            Value::Map(fields) => {
                self.each(branch, fields.iter().map(|(name, value)| (Value::text(name.as_str()), value.clone())))
            }
            Value::Int(_) | Value::Byte(_) if branch.pipe.variables.len() > 1 => {
                self.fail("can't use a number to iterate over more than one variable")
            }
            Value::Int(count) => self.each(branch, (0..*count).map(|at| (Value::Missing, Value::Int(at)))),
            Value::Byte(count) => self.each(branch, (0..*count).map(|at| (Value::Missing, Value::Byte(at)))),
            Value::Bool(_) | Value::Float(_) | Value::Text(_) => {
                self.fail(format!("range can't iterate over {}", print::printed(&value)))
            }
        };
        let flow = match (flow, &branch.otherwise) {
            (Ok(false), Some(list)) => self.list(dot, list),
            (flow, _) => flow.map(|_| Flow::On),
        };
        self.variables.truncate(seen);
        flow
    }

    /// Executes the body of a `range` loop for each item. Returns whether there was an item.
    fn each(&mut self, branch: &Branch, items: impl Iterator<Item = (Value, Value)>) -> Result<bool, Error> {
        let mark = self.variables.len();
        let mut any = false;
        for (key, item) in items {
            any = true;
            self.iterations += 1;
            if self.iterations > MAX_ITERATIONS {
                return self.fail("the loops take too many passes");
            }
            match branch.pipe.variables.as_slice() {
                [] => {}
                [one] => self.set(branch.pipe.assigns, one, 1, item.clone())?,
                [first, second, ..] => {
                    self.set(branch.pipe.assigns, first, 2, key)?;
                    self.set(branch.pipe.assigns, second, 1, item.clone())?;
                }
            }
            let flow = self.list(&item, &branch.list)?;
            self.variables.truncate(mark);
            if flow == Flow::Break {
                break;
            }
        }
        Ok(any)
    }

    /// Sets a variable of a `range` loop to `value`. If `assigns` is true (a loop with `=`), sets the existing variable `name`. Otherwise
    /// (a loop with `:=`), sets the variable that the loop has declared. `from_end` is the position of this variable, counted from the end
    /// of the list of variables.
    fn set(&mut self, assigns: bool, name: &str, from_end: usize, value: Value) -> Result<(), Error> {
        if assigns {
            return self.assign(name, value);
        }
        let at = self.variables.len().saturating_sub(from_end);
        if let Some(variable) = self.variables.get_mut(at) {
            variable.1 = value;
        }
        Ok(())
    }

    fn assign(&mut self, name: &str, value: Value) -> Result<(), Error> {
        match self.variables.iter_mut().rev().find(|variable| variable.0 == name) {
            Some(variable) => variable.1 = value,
            None => return self.fail(format!("undefined variable: {name}")),
        }
        Ok(())
    }

    fn template(&mut self, dot: &Value, name: &str, pipe: Option<&Pipe>, at: Position) -> Result<(), Error> {
        self.at = at;
        let trees = self.trees;
        let Some(list) = trees.get(name) else { return self.fail(format!("template {name:?} not defined")) };
        if self.depth >= MAX_TEMPLATES {
            return self.fail(format!("exceeded maximum template depth ({MAX_TEMPLATES})"));
        }
        let dot = pipe.map_or(Ok(Value::Missing), |pipe| self.pipe(dot, pipe))?;
        let variables = std::mem::replace(&mut self.variables, vec![("$".to_owned(), dot.clone())]);
        self.depth += 1;
        self.list(&dot, list)?;
        self.depth -= 1;
        self.variables = variables;
        Ok(())
    }

    fn pipe(&mut self, dot: &Value, pipe: &Pipe) -> Result<Value, Error> {
        self.at = pipe.at;
        let mut value = None;
        for command in &pipe.commands {
            value = Some(self.command(dot, command, value)?.settled());
        }
        let value = value.unwrap_or(Value::Missing);
        for name in &pipe.variables {
            if pipe.assigns {
                self.assign(name, value.clone())?;
            } else {
                self.variables.push((name.clone(), value.clone()));
            }
        }
        Ok(value)
    }

    fn command(&mut self, dot: &Value, command: &Command, last: Option<Value>) -> Result<Value, Error> {
        let Some((first, arguments)) = command.split_first() else { return self.fail("empty command") };
        if let Operand::Function(name) = first {
            return self.call(dot, name, arguments, last);
        }
        if !arguments.is_empty() || last.is_some() {
            return self.not_a_function(dot, first);
        }
        if matches!(first, Operand::Nil) {
            return self.fail("nil is not a command");
        }
        self.operand(dot, first)
    }

    /// Evaluates a command that passes arguments to an operand that is not a function. As in Go, this is an error. Exception: if the
    /// operand is a field of a missing value, the result is a missing value.
    fn not_a_function(&mut self, dot: &Value, operand: &Operand) -> Result<Value, Error> {
        let mut inner = operand.clone();
        let (Operand::Field(names) | Operand::Variable(_, names) | Operand::Chain(_, names)) = &mut inner else {
            return self.fail("can't give argument to non-function");
        };
        if names.pop().is_some() && matches!(self.operand(dot, &inner)?, Value::Missing) {
            return Ok(Value::Missing);
        }
        self.fail("can't give argument to non-function")
    }

    fn operand(&mut self, dot: &Value, operand: &Operand) -> Result<Value, Error> {
        Ok(match operand {
            Operand::Bool(value) => Value::Bool(*value),
            Operand::Dot => dot.clone(),
            Operand::Nil => Value::Missing,
            Operand::Int(value) => Value::Int(*value),
            Operand::Float(value) => Value::Float(*value),
            Operand::Text(text) => Value::text(text.as_str()),
            Operand::Field(names) => return self.fields(dot.clone(), names),
            Operand::Variable(name, names) => {
                let found = self.variables.iter().rev().find(|variable| variable.0 == *name);
                let Some((_, value)) = found else { return self.fail(format!("undefined variable: {name}")) };
                let value = value.clone();
                return self.fields(value, names);
            }
            Operand::Function(name) => return self.call(dot, name, &[], None),
            Operand::Pipe(pipe) => return self.pipe(dot, pipe),
            Operand::Chain(inner, names) => {
                let value = self.operand(dot, inner)?;
                return self.fields(value, names);
            }
        })
    }

    fn fields(&self, value: Value, names: &[String]) -> Result<Value, Error> {
        names.iter().try_fold(value, |value, name| match &value {
            Value::Missing => Ok(Value::Missing),
            Value::Null => self.fail(format!("nil pointer evaluating interface {{}}.{name}")),
            Value::Map(fields) => Ok(fields.get(name).cloned().unwrap_or(Value::Missing)),
            other => self.fail(format!("can't evaluate field {name} in type {}", other.type_name())),
        })
    }

    fn call(&mut self, dot: &Value, name: &str, operands: &[Operand], last: Option<Value>) -> Result<Value, Error> {
        if name == "and" || name == "or" {
            return self.decide(dot, name, operands, last);
        }
        let mut arguments = Vec::with_capacity(operands.len() + 1);
        for (at, operand) in operands.iter().enumerate() {
            let value = self.operand(dot, operand)?;
            arguments.push(value);
            // As in Go, the type of each argument is checked before the next argument is evaluated. For `printf`, this means that the
            // format is checked before the other arguments are evaluated.
            if name == "printf" && at == 0 {
                self.check_format(operand, arguments.first())?;
            }
        }
        arguments.extend(last);
        self.spend(arguments.iter().map(Value::bytes).sum())?;
        let at = self.at;
        let made = funcs::call(name, arguments).map_err(|message| Error::new(at, message))?;
        self.spend(made.bytes())?;
        Ok(made)
    }

    fn check_format(&self, operand: &Operand, value: Option<&Value>) -> Result<(), Error> {
        match (operand, value) {
            (Operand::Nil, _) => self.fail("cannot assign nil to string"),
            (_, Some(Value::Text(_))) => Ok(()),
            (_, value) => {
                let name = value.map_or("<nil>", Value::type_name);
                self.fail(format!("wrong type for value; expected string; got {name}"))
            }
        }
    }

    /// Evaluates the arguments of `and` or `or` in order. Returns the first argument that decides the result, or the last argument if none
    /// does.
    fn decide(&mut self, dot: &Value, name: &str, operands: &[Operand], last: Option<Value>) -> Result<Value, Error> {
        let mut value = None;
        for operand in operands {
            let read = self.operand(dot, operand)?;
            if read.is_true() == (name == "or") {
                return Ok(read);
            }
            value = Some(read);
        }
        match last.or(value) {
            Some(value) => Ok(value),
            None => self.fail(format!("wrong number of args for {name}: want at least 1 got 0")),
        }
    }
}

fn index(at: usize) -> Value {
    Value::Int(i64::try_from(at).unwrap_or(i64::MAX))
}
