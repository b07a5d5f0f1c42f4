//! Findings about places of one file, before it is known which line they are on.

use std::ops::Range;

use afresh_formats::findings::{Finding, Fix, Severity, SourceText};

/// The most remarks for one file.
const MAX_REMARKS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanRemark {
    pub severity: Severity,
    pub code: &'static str,
    pub at: Range<usize>,
    pub message: String,
    pub hint: String,
    pub fix: Option<Fix>,
}

/// All remarks about one file.
#[derive(Debug, Clone, Default)]
pub struct PlanRemarks {
    all: Vec<PlanRemark>,
}

impl PlanRemarks {
    pub fn error(&mut self, code: &'static str, at: &Range<usize>, message: String, hint: &str) {
        self.add(Severity::Error, code, at, message, hint);
    }

    pub fn warning(&mut self, code: &'static str, at: &Range<usize>, message: String, hint: &str) {
        self.add(Severity::Warning, code, at, message, hint);
    }

    /// A warning with a fix.
    pub fn fixable(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: String,
        hint: &str,
        fix: Fix,
    ) {
        let index = self.all.len();
        self.warning(code, at, message, hint);
        self.set_fix(index, fix);
    }

    /// An error with a fix.
    pub fn fixable_error(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: String,
        hint: &str,
        fix: Option<Fix>,
    ) {
        let index = self.all.len();
        self.error(code, at, message, hint);
        if let Some(fix) = fix {
            self.set_fix(index, fix);
        }
    }

    pub fn note(&mut self, code: &'static str, at: &Range<usize>, message: String, hint: &str) {
        self.add(Severity::Note, code, at, message, hint);
    }

    /// The message of the first error.
    pub fn first_error(&self) -> Option<String> {
        let error = self.all.iter().find(|remark| remark.severity == Severity::Error);
        error.map(|remark| remark.message.clone())
    }

    /// The remarks as findings of a file.
    pub fn render(&self, source: &SourceText) -> Vec<Finding> {
        let finding = |remark: &PlanRemark| Finding {
            severity: remark.severity,
            fix: remark.fix.clone(),
            ..source
                .finding(remark.code, &remark.at, remark.message.as_str())
                .with_hint(remark.hint.as_str())
        };
        self.all.iter().map(finding).collect()
    }

    /// Adds a fix to the remark with this index, if it was kept.
    fn set_fix(&mut self, index: usize, fix: Fix) {
        if let Some(remark) = self.all.get_mut(index) {
            remark.fix = Some(fix);
        }
    }

    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: &Range<usize>,
        message: String,
        hint: &str,
    ) {
        // An error is kept, however many warnings came before it.
        let first_error = severity == Severity::Error
            && !self.all.iter().any(|remark| remark.severity == Severity::Error);
        if self.all.len() < MAX_REMARKS || first_error {
            let (at, hint) = (at.clone(), hint.to_owned());
            self.all.push(PlanRemark { severity, code, at, message, hint, fix: None });
        }
    }
}
