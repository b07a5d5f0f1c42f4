//! JSON with source positions. Strict: limited depth, no duplicate keys.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::findings::{Finding, Fix, SourceText};
use crate::text::limits::MAX_VALUES;
use crate::text::node::{Node, TableEntry, Value};

const MAX_DEPTH: usize = 64;

pub fn parse(source: &SourceText<'_>) -> Result<Node, Finding> {
    parse_part(source, &(0..source.text.len()), "the end of the file")
}

/// Parses a part of a file, such as a line, as one value.
pub fn parse_part(
    source: &SourceText<'_>,
    part: &Range<usize>,
    end: &str,
) -> Result<Node, Finding> {
    let bytes = &source.text.as_bytes()[..part.end];
    let mut reader = JsonReader { source, bytes, at: part.start, values: 0 };
    let node = reader.value(0)?;
    reader.skip_space();
    if reader.at < reader.bytes.len() {
        return Err(reader.expected(end));
    }
    Ok(node)
}

struct JsonReader<'a, 's> {
    source: &'a SourceText<'s>,
    bytes: &'a [u8],
    at: usize,
    /// The number of values so far.
    values: usize,
}

impl JsonReader<'_, '_> {
    fn value(&mut self, depth: usize) -> Result<Node, Finding> {
        self.skip_space();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(self.problem(start, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(self.problem(start, format!("more than {MAX_VALUES} values in one file")));
        }
        let value = match self.bytes.get(self.at) {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.text()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Other("null"))?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => return Err(self.expected("a value")),
        };
        Ok(Node { value, span: start..self.at })
    }

    fn table(&mut self, depth: usize) -> Result<Value, Finding> {
        let mut entries: Vec<TableEntry> = Vec::new();
        let mut seen = BTreeSet::new();
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(Value::Table(entries));
        }
        loop {
            self.skip_space();
            self.reject_trailing_comma(b'}', !entries.is_empty())?;
            let key_start = self.at;
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.expected("a key in double quotes"));
            }
            let key = self.text()?;
            let key_span = key_start..self.at;
            if !seen.insert(key.clone()) {
                return Err(self.problem(key_start, format!("duplicate key {key:?}")));
            }
            self.skip_space();
            if !self.take(b':') {
                return Err(self.expected("':'"));
            }
            let node = self.value(depth + 1)?;
            entries.push(TableEntry { key, key_span, node });
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Table(entries));
            }
            if !self.take(b',') {
                return Err(self.expected("',' or '}'"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Finding> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(Value::List(items));
        }
        loop {
            self.skip_space();
            self.reject_trailing_comma(b']', !items.is_empty())?;
            items.push(self.value(depth + 1)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::List(items));
            }
            if !self.take(b',') {
                return Err(self.expected("',' or ']'"));
            }
        }
    }

    /// Rejects a comma before the closing bracket, which some other parsers accept.
    fn reject_trailing_comma(&self, end: u8, has_items: bool) -> Result<(), Finding> {
        if !has_items || self.bytes.get(self.at) != Some(&end) {
            return Ok(());
        }
        let comma = self.bytes[..self.at].iter().rposition(|byte| *byte == b',');
        let comma = comma.unwrap_or(self.at);
        let problem = self.problem(comma, "trailing comma".to_owned());
        Err(problem.with_fix(Fix::correction(comma..comma + 1, "")))
    }

    /// Finds the closing quote, and leaves escapes to `serde_json`.
    fn text(&mut self) -> Result<String, Finding> {
        let start = self.at;
        self.at += 1;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return serde_json::from_str(&self.source.text[start..self.at]).map_err(
                        |error| self.problem(start, format!("invalid JSON string: {error}")),
                    );
                }
                _ => self.at += 1,
            }
        }
        self.at = self.bytes.len();
        Err(self.problem(start, "the string that starts here is not closed".to_owned()))
    }

    fn number(&mut self) -> Result<Value, Finding> {
        let start = self.at;
        while matches!(
            self.bytes.get(self.at),
            Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
        ) {
            self.at += 1;
        }
        let text = &self.source.text[start..self.at];
        match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) => {
                let fraction = || Value::Fraction(number.as_f64().unwrap_or(f64::NAN));
                Ok(number.as_i64().map_or_else(fraction, Value::Integer))
            }
            Err(_) => Err(self.problem(start, format!("{text:?} is not a number"))),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Finding> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.expected("a value"))
    }

    fn skip_space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let here = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(here);
        here
    }

    fn expected(&self, what: &str) -> Finding {
        self.problem(self.at, format!("expected {what}"))
    }

    fn problem(&self, at: usize, message: String) -> Finding {
        self.source.finding("syntax", &(at..at + 1), message)
    }
}
