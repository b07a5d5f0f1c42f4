//! Gives findings their places, with one look at each file.
//!
//! To know the line of a byte, a file has to be read up to it. So findings are collected first, and
//! placed together.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::finding::{Finding, Source};
use crate::folder::Folder;
use crate::reading::Spot;

/// Places that are asked for, by file.
#[derive(Debug, Clone, Default)]
pub struct Placing {
    asked: BTreeMap<String, Vec<(Range<usize>, Asked)>>,
}

/// What a place is for: a finding, by its position.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Itself(usize),
    /// The other place that has to do with it.
    First(usize),
}

impl Placing {
    /// The finding at this position is here.
    pub fn ask(&mut self, position: usize, spot: &Spot) {
        self.add(spot, Asked::Itself(position));
    }

    /// The finding at this position is about a second one; the first is here.
    pub fn ask_for_first(&mut self, position: usize, spot: &Spot) {
        self.add(spot, Asked::First(position));
    }

    fn add(&mut self, spot: &Spot, asked: Asked) {
        let asks = self.asked.entry(spot.file.clone()).or_default();
        asks.push((spot.range.clone(), asked));
    }

    /// Fills in the places; what cannot be read stays a finding about its file.
    pub fn place(self, folder: &dyn Folder, findings: &mut [Finding]) {
        for (file, asks) in self.asked {
            let Some(Ok(text)) = folder.text(&file) else { continue };
            let source = Source::new(&file, &text);
            for (range, asked) in asks {
                match asked {
                    Asked::Itself(position) => {
                        if let Some(finding) = findings.get_mut(position) {
                            source.locate(finding, &range);
                        }
                    }
                    Asked::First(position) => {
                        if let Some(finding) = findings.get_mut(position) {
                            let (line, _) = source.place(range.start);
                            let message = &finding.message;
                            finding.message = format!("{message} (the first is at {file}:{line})");
                        }
                    }
                }
            }
        }
    }
}
