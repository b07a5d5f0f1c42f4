//! What is to be said about a place of one file.

use std::ops::Range;

use afresh_formats::findings::{Finding, Fix, Severity, SourceText};

/// More remarks than this about one file say nothing new.
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

/// Everything that is to be said about one file.
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

    /// A warning with what would mend it.
    pub fn fixable(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: String,
        hint: &str,
        fix: Fix,
    ) {
        let said = self.all.len();
        self.warning(code, at, message, hint);
        self.mend_by(said, fix);
    }

    /// An error with what would mend it.
    pub fn fixable_error(
        &mut self,
        code: &'static str,
        at: &Range<usize>,
        message: String,
        hint: &str,
        fix: Option<Fix>,
    ) {
        let said = self.all.len();
        self.error(code, at, message, hint);
        if let Some(fix) = fix {
            self.mend_by(said, fix);
        }
    }

    pub fn note(&mut self, code: &'static str, at: &Range<usize>, message: String, hint: &str) {
        self.add(Severity::Note, code, at, message, hint);
    }

    /// They as findings of a file.
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

    /// Notes what would mend a remark, if it was taken down.
    fn mend_by(&mut self, said: usize, fix: Fix) {
        if let Some(remark) = self.all.get_mut(said) {
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
        // An error must be heard, however many warnings came before it.
        let first_error = severity == Severity::Error
            && !self.all.iter().any(|remark| remark.severity == Severity::Error);
        if self.all.len() < MAX_REMARKS || first_error {
            let (at, hint) = (at.clone(), hint.to_owned());
            self.all.push(PlanRemark { severity, code, at, message, hint, fix: None });
        }
    }
}
