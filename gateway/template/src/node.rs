//! Syntax tree of a parsed template.

use crate::Position;

pub(crate) type List = Vec<Node>;

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Text(String),
    /// An action `{{ pipeline }}`, with its position.
    Action(Pipe, Position),
    If(Branch),
    With(Branch),
    Range(Branch),
    /// A template call `{{ template "name" pipeline }}`. A `{{ block }}` is also stored as such a call, together with a definition of its
    /// template.
    Template {
        name: String,
        pipe: Option<Pipe>,
        at: Position,
    },
    Break(Position),
    Continue(Position),
}

/// A control structure (`if`, `with` or `range`) with its branches.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) pipe: Pipe,
    pub(crate) list: List,
    pub(crate) otherwise: Option<List>,
    pub(crate) at: Position,
}

/// A pipeline of commands. Each command gets the value of the previous command as its last argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    /// Names of the variables that the pipeline sets, including the `$`.
    pub(crate) variables: Vec<String>,
    /// Whether the pipeline assigns to existing variables (`=`). If false, it declares new variables (`:=`).
    pub(crate) assigns: bool,
    pub(crate) commands: Vec<Command>,
    pub(crate) at: Position,
}

/// A command: a list of operands. If the first operand is a function, the others are its arguments.
pub(crate) type Command = Vec<Operand>;

#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Bool(bool),
    Dot,
    Nil,
    Int(i64),
    Float(f64),
    Text(String),
    /// Fields of the current value: `.A.B`.
    Field(Vec<String>),
    /// A variable, or fields of a variable: `$x.A.B`.
    Variable(String, Vec<String>),
    /// A call of a function without arguments.
    Function(String),
    /// A pipeline in parentheses: `( … )`.
    Pipe(Box<Pipe>),
    /// Fields of the value of a pipeline in parentheses, `( … ).A.B`, or fields of a function's result.
    Chain(Box<Operand>, Vec<String>),
}
