//! What came of reading a plan, in whatever format.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::Plan;

use crate::finding::Finding;

#[derive(Debug, Default)]
pub struct Reading {
    /// None where a finding is an error.
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
    /// The directory whose repository the plan is for, relative to the plan's file (EX-12).
    pub target: Option<String>,
    /// Fields that we do not know, by their path, as they were written (FO-06).
    pub unknown: BTreeMap<String, String>,
    /// Where each task of the plan is.
    pub places: Vec<Spot>,
}

impl Reading {
    /// Nothing could be read.
    pub fn failed(finding: Finding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }
}

/// Somewhere in one of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub file: String,
    /// Bytes of the file's text: without a byte order mark, with plain line breaks.
    pub range: Range<usize>,
}

impl Spot {
    pub fn new(file: &str, range: Range<usize>) -> Self {
        Self { file: file.to_owned(), range }
    }
}
