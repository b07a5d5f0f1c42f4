//! In which files the behaviors are (PL-05).

use afresh_core::plan::FileAction;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhysicalMap {
    pub version: String,
    pub file_mapping: Vec<BehaviorFiles>,
    #[serde(default)]
    pub cross_cutting: Vec<CrossCuttingConcern>,
    #[serde(default)]
    pub infrastructure: Vec<MappedFile>,
}

/// The files of one behavior.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BehaviorFiles {
    pub behavior_id: String,
    pub files: Vec<MappedFile>,
    #[serde(default)]
    pub tests: Vec<MappedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrossCuttingConcern {
    pub concern: String,
    pub files: Vec<MappedFile>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappedFile {
    pub path: String,
    pub action: MappedAction,
    #[serde(default)]
    pub layer: Option<String>,
    #[serde(default)]
    pub purpose: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MappedAction {
    Create,
    Modify,
    Extend,
    Delete,
}

impl MappedAction {
    pub fn to_plan(self) -> FileAction {
        match self {
            Self::Create => FileAction::Create,
            Self::Modify | Self::Extend => FileAction::Modify,
            Self::Delete => FileAction::Delete,
        }
    }
}

impl PhysicalMap {
    /// Every file, with the fields and items that lead to it.
    pub fn files(&self) -> impl Iterator<Item = (FilePlace, &MappedFile)> {
        let mapped = self.file_mapping.iter().enumerate().flat_map(|(at, mapping)| {
            let files = mapping.files.iter().enumerate();
            let files = files
                .map(move |(item, file)| (FilePlace::of("file_mapping", at, "files", item), file));
            let tests = mapping.tests.iter().enumerate();
            let tests = tests
                .map(move |(item, file)| (FilePlace::of("file_mapping", at, "tests", item), file));
            files.chain(tests)
        });
        let concerns = self.cross_cutting.iter().enumerate().flat_map(|(at, concern)| {
            let files = concern.files.iter().enumerate();
            files.map(move |(item, file)| (FilePlace::of("cross_cutting", at, "files", item), file))
        });
        let infrastructure = self.infrastructure.iter().enumerate();
        let infrastructure = infrastructure
            .map(|(at, file)| (FilePlace { list: "infrastructure", at, inner: None }, file));
        mapped.chain(concerns).chain(infrastructure)
    }
}

/// Where a file stands in the map.
#[derive(Debug, Clone, Copy)]
pub struct FilePlace {
    pub list: &'static str,
    pub at: usize,
    pub inner: Option<(&'static str, usize)>,
}

impl FilePlace {
    fn of(list: &'static str, at: usize, inner: &'static str, item: usize) -> Self {
        Self { list, at, inner: Some((inner, item)) }
    }
}
