//! `[hooks]` and `[notify]`: what runs, and who is called, while a run is driven.

use std::time::Duration;

use afresh_core::hook::HookPoint;
use afresh_formats::text::node::Node;
use afresh_formats::text::node_reader::NodeReader;

use super::read::set;
use super::{Config, TerminalNotify};

pub(super) const NOTIFY: &[&str] = &["terminal"];
pub(super) const HOOKS: &[&str] = &[
    "before_attempt",
    "after_attempt",
    "before_check",
    "after_check",
    "before_merge",
    "after_merge",
    "on_question",
    "on_end",
    "timeout",
];
/// A halt waits for hooks.
const LONGEST_HOOK: Duration = Duration::from_secs(600);

pub(super) fn read(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        let value = &entry.node;
        if entry.key == "timeout" {
            let limit = reader.duration(value);
            if limit.is_some_and(|limit| limit.is_zero() || limit > LONGEST_HOOK) {
                let message = "a hook may take between one second and ten minutes".to_owned();
                reader.problem(&value.span, message, Some("timeout = \"30s\"".to_owned()));
            }
            set(&mut config.hooks.limit, limit);
            continue;
        }
        match HookPoint::from_word(&entry.key) {
            Some(point) => {
                if let Some(commands) = reader.texts(value) {
                    config.hooks.commands.insert(point, commands);
                }
            }
            None => reader.unknown_key(entry, HOOKS),
        }
    }
}

pub(super) fn read_notify(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config) {
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "terminal" => {
                set(&mut config.notify, reader.word(&entry.node, &TerminalNotify::WORDS));
            }
            _ => reader.unknown_key(entry, NOTIFY),
        }
    }
}
