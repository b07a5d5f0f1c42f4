//! One tree for TOML, JSON and YAML in which every value has its source range.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub value: Value,
    pub span: Range<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Table(Vec<TableEntry>),
    List(Vec<Node>),
    Text(String),
    Integer(i64),
    Bool(bool),
    Fraction(f64),
    /// Dates and null, which our formats do not use.
    Other(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
pub struct TableEntry {
    pub key: String,
    pub key_span: Range<usize>,
    pub node: Node,
}

impl Value {
    /// The value for a message: itself if it is short, else its kind.
    pub fn describe(&self) -> String {
        match self {
            Self::Text(text) if text.chars().count() <= 40 => format!("{text:?}"),
            Self::Integer(number) => number.to_string(),
            Self::Bool(flag) => flag.to_string(),
            other => other.kind().to_owned(),
        }
    }

    /// The kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Table(_) => "a table",
            Self::List(_) => "a list",
            Self::Text(_) => "a string",
            Self::Integer(_) => "a number",
            Self::Bool(_) => "true or false",
            Self::Fraction(_) => "a fractional number",
            Self::Other(kind) => kind,
        }
    }
}
