//! A specification: Markdown documents that say what is wanted.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`layout`] | where specifications of the usual tools are, and which documents belong to one |
//! | [`files`] | the files that a specification names, and what is to be done with them |
//! | `outline` | sections, and what their statements are |

pub mod files;
pub mod layout;
mod outline;

pub use outline::{OutlineSection, outline};

use afresh_core::estimate::tokens::estimate_text;
use afresh_formats::text::markdown::headings;
use serde::{Deserialize, Serialize};

/// The tool whose layout a specification has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpecKind {
    Specflow,
    SpecKit,
    Openspec,
    Kiro,
    Gsd,
    Markdown,
}

impl SpecKind {
    /// The name that people see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Specflow => "SpecFlow",
            Self::SpecKit => "spec-kit",
            Self::Openspec => "OpenSpec",
            Self::Kiro => "Kiro",
            Self::Gsd => "GSD",
            Self::Markdown => "Markdown",
        }
    }
}

/// What a document of a specification is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentPart {
    /// It states what is wanted.
    Statements,
    /// It says how: design, research, the project as a whole.
    Design,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecDocument {
    pub path: String,
    pub text: String,
    pub part: DocumentPart,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Specification {
    pub kind: SpecKind,
    /// A short name for directories and branches.
    pub name: String,
    /// Its documents; the first one states what is wanted.
    pub documents: Vec<SpecDocument>,
}

impl Specification {
    /// One Markdown document.
    pub fn from_text(path: &str, text: String) -> Self {
        let name = layout::name_of(path);
        let document = SpecDocument { path: path.to_owned(), text, part: DocumentPart::Statements };
        Self { kind: SpecKind::Markdown, name, documents: vec![document] }
    }

    /// Its first heading, else its name.
    pub fn title(&self) -> String {
        let first = self.documents.first().map_or("", |document| document.text.as_str());
        let heading = headings(first).into_iter().next().map(|heading| heading.text.to_owned());
        heading.filter(|text| !text.is_empty()).unwrap_or_else(|| self.name.clone())
    }

    /// The documents that state what is wanted.
    pub fn statements(&self) -> impl Iterator<Item = &SpecDocument> {
        self.documents.iter().filter(|document| document.part == DocumentPart::Statements)
    }

    /// The estimated size of all of it.
    pub fn tokens(&self) -> u64 {
        let sizes = self.documents.iter().map(|document| estimate_text(&document.text));
        sizes.fold(0, u64::saturating_add)
    }
}
