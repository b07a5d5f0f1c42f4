//! `[checks]` and `[[checks.quarantine]]`.

use afresh_core::run::settings::{
    MutationRule, OnRedBase, ProbeScope, QuarantinedCheck, VacuousPolicy,
};
use afresh_formats::text::node::{Node, Value};
use afresh_formats::text::node_reader::NodeReader;
use jiff::civil::Date;

use super::Config;
use super::read::{CHECKS, count, set, share};

/// The mutation test of a Rust project, if no other is configured.
const CARGO_MUTANTS: &str = "cargo mutants --in-diff \"$AFRESH_DIFF\" --output \"$AFRESH_MUTANTS\" --no-shuffle --colors never";
const QUARANTINE: &[&str] = &["command", "reason", "until"];
/// More reruns would hide what they are to show.
const MAX_RERUNS: u64 = 20;

/// Reads the table; `today` decides which quarantines have expired.
pub(super) fn read(reader: &mut NodeReader<'_, '_>, node: &Node, config: &mut Config, today: Date) {
    let settings = &mut config.settings;
    let (mut command, mut strength) = (None, None);
    for entry in reader.entries(node) {
        let value = &entry.node;
        match entry.key.as_str() {
            "always" => set(&mut settings.always, reader.texts(value)),
            "timeout" => set(&mut config.check_timeout, reader.duration(value)),
            "parallel" => set(&mut config.checks_parallel, count(reader, value)),
            "env" => set(&mut config.check_env, reader.texts(value)),
            "probe" => {
                let words = [("on", ProbeScope::All), ("off", ProbeScope::Baseline)];
                set(&mut settings.probe, reader.word(value, &words));
            }
            "probe_limit" => set(&mut config.probe_limit, reader.duration(value)),
            "vacuous" => {
                let word = reader.word_by(value, VacuousPolicy::WORDS, VacuousPolicy::from_word);
                set(&mut settings.vacuous, word);
            }
            "on_red_base" => {
                let word = reader.word_by(value, OnRedBase::WORDS, OnRedBase::from_word);
                set(&mut settings.on_red_base, word);
            }
            "rerun" => {
                let number = reader.number(value, 0..=MAX_RERUNS);
                set(&mut settings.rerun, number.and_then(|number| u32::try_from(number).ok()));
            }
            "quarantine" => {
                let list = reader.list(value, "a list of tables: `[[checks.quarantine]]`");
                settings.quarantine =
                    list.iter().filter_map(|item| read_quarantine(reader, item, today)).collect();
            }
            "mutants" => command = reader.text(value),
            "strength" => strength = share(reader, value),
            _ => reader.unknown_key(entry, CHECKS),
        }
    }
    // Without a threshold it is only measured.
    settings.mutation = match (command, strength) {
        (Some(command), required_percent) => Some(MutationRule { command, required_percent }),
        (None, Some(percent)) => {
            let command = CARGO_MUTANTS.to_owned();
            Some(MutationRule { command, required_percent: Some(percent) })
        }
        (None, None) => None,
    };
}

/// A check that may fail for a reason, and not for ever.
fn read_quarantine(
    reader: &mut NodeReader<'_, '_>,
    node: &Node,
    today: Date,
) -> Option<QuarantinedCheck> {
    let (mut command, mut reason, mut until) = (None, None, None);
    for entry in reader.entries(node) {
        match entry.key.as_str() {
            "command" => command = reader.text(&entry.node),
            "reason" => reason = reader.text(&entry.node),
            "until" => until = read_day(reader, &entry.node, today),
            _ => reader.unknown_key(entry, QUARANTINE),
        }
    }
    let is_blank = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    for (name, value) in [("command", &command), ("reason", &reason), ("until", &until)] {
        // A day that was wrong was reported already.
        let is_written = matches!(&node.value, Value::Table(entries) if entries.iter().any(|entry| entry.key == name));
        if is_blank(value) && !(name == "until" && is_written) {
            let message = format!("a quarantine needs `{name}`");
            let hint =
                "command = \"npm test\", reason = \"timing, see issue 12\", until = \"2027-01-31\"";
            reader.problem(&node.span, message, Some(hint.to_owned()));
        }
    }
    Some(QuarantinedCheck { command: command?, reason: reason?, until: until? })
}

fn read_day(reader: &mut NodeReader<'_, '_>, node: &Node, today: Date) -> Option<String> {
    let text = reader.text(node)?;
    let Ok(day) = text.trim().parse::<Date>() else {
        let message = format!("{text:?} is no day");
        reader.problem(&node.span, message, Some("write it as \"2027-01-31\"".to_owned()));
        return None;
    };
    if day < today {
        let message = format!("this quarantine ended on {day}");
        let hint = "fix the check and remove the entry, or give it a later day and a reason";
        reader.problem(&node.span, message, Some(hint.to_owned()));
        return None;
    }
    Some(day.to_string())
}

#[cfg(test)]
mod tests {
    use afresh_formats::Finding;

    use super::super::read::read_on;
    use super::*;

    fn findings(text: &str) -> (Config, Vec<Finding>) {
        let mut config = Config::default();
        let today = "2026-11-18".parse().expect("a day");
        let findings = read_on("config.toml", text.as_bytes(), &mut config, today);
        (config, findings)
    }

    /// TR-01 to TR-03: every documented key is read.
    #[test]
    fn the_settings_of_probe_baseline_and_reruns_are_read() {
        let (config, found) = findings(
            "[checks]\nprobe = \"off\"\nprobe_limit = \"90s\"\nvacuous = \"refuse\"\non_red_base = \"stop\"\nrerun = 3\n",
        );
        assert_eq!(found, []);
        let settings = &config.settings;
        assert_eq!((settings.probe, settings.rerun), (ProbeScope::Baseline, 3));
        assert_eq!(settings.vacuous, VacuousPolicy::Refuse);
        assert_eq!(settings.on_red_base, OnRedBase::Stop);
        assert_eq!(config.probe_limit.as_secs(), 90);
        let (config, _) = findings("");
        assert_eq!((config.settings.probe, config.settings.rerun), (ProbeScope::All, 1));
    }

    /// TR-03: a quarantine has a reason and an end; one that has ended is an error where it is written.
    #[test]
    fn an_expired_quarantine_is_an_error() {
        let entry = |until: &str| {
            format!(
                "[[checks.quarantine]]\ncommand = \"npm test\"\nreason = \"timing\"\nuntil = \"{until}\"\n"
            )
        };
        let (config, found) = findings(&entry("2026-11-18"));
        assert_eq!(found, []);
        assert_eq!(
            config.settings.quarantine_of("npm test").map(|it| it.until.as_str()),
            Some("2026-11-18")
        );
        let (config, found) = findings(&entry("2026-11-17"));
        assert!(
            found[0].is_error() && found[0].message.contains("ended on 2026-11-17"),
            "{found:?}"
        );
        assert_eq!((found[0].line, found.len()), (4, 1));
        assert!(config.settings.quarantine.is_empty());
        let (_, found) = findings(&entry("soon"));
        assert!(found[0].message.contains("is no day"), "{found:?}");
        let (_, found) = findings("[[checks.quarantine]]\ncommand = \"npm test\"\n");
        let messages: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(messages, ["a quarantine needs `reason`", "a quarantine needs `until`"]);
    }
}
