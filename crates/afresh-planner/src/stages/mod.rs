//! Planning as a plan (PL-10): its tasks write artifacts, and their checks validate them.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `quick` | one planner writes the whole plan |
//! | `single` | one worker does all of a small specification, without a planner |

mod quick;
mod single;

pub use quick::quick_plan;
pub use single::single_plan;

use std::collections::BTreeMap;

use afresh_core::plan::RequirementScope;

use crate::ledger::{Ledger, LedgerStatement};
use crate::prompts::PlanningRole;

/// What a planning run is about.
#[derive(Debug, Clone)]
pub struct PlanningJob<'a> {
    pub name: &'a str,
    /// The directory of its files, from the root of the repository.
    pub directory: String,
    pub ledger: &'a Ledger,
    /// What is known about the repository, as Markdown.
    pub project: &'a str,
    /// What the user says about the technology to use.
    pub stack: Option<&'a str>,
    /// Texts of the project that replace those of roles.
    pub templates: &'a BTreeMap<String, String>,
}

impl PlanningJob<'_> {
    /// The plan that comes out.
    pub fn plan_path(&self) -> String {
        format!("{}/{}.plan.toml", self.directory, self.name)
    }

    fn template(&self, role: PlanningRole) -> &str {
        self.templates.get(role.file_name()).map_or(role.template(), String::as_str)
    }

    /// The variables that all roles share.
    fn values(&self) -> BTreeMap<&'static str, String> {
        let stack =
            self.stack.map(|stack| format!("\n\nTechnology, as the user wants it: {stack}"));
        let first = self.ledger.active().next().map_or("S1", |statement| statement.id.as_str());
        BTreeMap::from([
            ("plan_path", self.plan_path()),
            ("project", format!("{}{}", self.project.trim_end(), stack.unwrap_or_default())),
            ("statements", list(self.ledger.active())),
            ("deferred", self.deferred()),
            ("name", self.name.to_owned()),
            ("first_id", first.to_owned()),
        ])
    }

    fn deferred(&self) -> String {
        let left: Vec<&LedgerStatement> = self
            .ledger
            .statements
            .iter()
            .filter(|it| it.scope != RequirementScope::Active)
            .collect();
        if left.is_empty() {
            return String::new();
        }
        format!("\nNot to be planned:\n{}\n", list(left.into_iter()))
    }
}

/// One line per statement.
fn list<'l>(statements: impl Iterator<Item = &'l LedgerStatement>) -> String {
    let lines = statements.map(|it| {
        let parent =
            it.parent.as_ref().map(|parent| format!(" (part of {parent})")).unwrap_or_default();
        let words = it.quote.strip_prefix(it.id.as_str()).unwrap_or(&it.quote);
        let words = words.trim_start_matches([':', '.', ')', '-', '—', '–', ' ']);
        format!("- {}{parent}, line {}: {words}", it.id, it.line)
    });
    lines.collect::<Vec<_>>().join("\n")
}
