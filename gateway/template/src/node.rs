//! The tree of a template.

/// A list of nodes.
pub(crate) type List = Vec<Node>;

/// A piece of a template.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Text(String),
    /// `{{ pipeline }}`, with its line.
    Action(Pipe, usize),
    If(Branch),
    With(Branch),
    Range(Branch),
    /// `{{ template "name" pipeline }}`; a block becomes one.
    Template {
        name: String,
        pipe: Option<Pipe>,
        line: usize,
    },
    Break(usize),
    Continue(usize),
}

/// A control structure.
#[derive(Clone, Debug)]
pub(crate) struct Branch {
    pub(crate) pipe: Pipe,
    pub(crate) list: List,
    pub(crate) otherwise: Option<List>,
    pub(crate) line: usize,
}

/// Commands of which each has the value of the one before as its last argument.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pipe {
    /// Names of variables, with `$`.
    pub(crate) variables: Vec<String>,
    /// `=` instead of `:=`.
    pub(crate) assigns: bool,
    pub(crate) commands: Vec<Command>,
    pub(crate) line: usize,
}

/// Operands; the first may be a function.
pub(crate) type Command = Vec<Operand>;

/// An operand of a command.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    Bool(bool),
    Dot,
    Nil,
    Int(i64),
    Float(f64),
    Text(String),
    /// `.A.B`
    Field(Vec<String>),
    /// `$x.A.B`
    Variable(String, Vec<String>),
    /// A function.
    Function(String),
    /// `( … )`
    Pipe(Box<Pipe>),
    /// `( … ).A.B`, or a function's fields.
    Chain(Box<Operand>, Vec<String>),
}
