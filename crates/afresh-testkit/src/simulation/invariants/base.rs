//! What was measured before the work: no worker starts before, and no failure is excused that was not there (TR-02).

use std::collections::BTreeMap;

use afresh_core::check::{CheckExcuse, Receipt};
use afresh_core::event::Event;
use afresh_core::ids::AttemptId;
use afresh_core::run::settings::{ProbeScope, Settings};

/// What the journal says about checks of every merge.
#[derive(Debug, Default)]
pub(super) struct BaseInvariants {
    /// Whether each measured command failed on the base.
    failed_on_base: BTreeMap<String, bool>,
    /// Whether it failed with what landed last.
    fails_now: BTreeMap<String, bool>,
    probing: bool,
}

impl BaseInvariants {
    pub(super) fn note(&mut self, event: &Event, settings: &Settings) -> Result<(), String> {
        match event {
            Event::ProbeStarted { .. } => self.probing = true,
            Event::Opened { .. } => self.probing = false,
            Event::Probed { checks, .. } => {
                self.probing = false;
                for probed in checks {
                    let failed = !probed.result.passed();
                    self.failed_on_base.insert(probed.command().to_owned(), failed);
                    self.fails_now.insert(probed.command().to_owned(), failed);
                }
            }
            Event::AttemptStarting { attempt, .. } => self.check_start(attempt, settings)?,
            Event::LandIntended { attempt, receipt, .. } => self.check_landing(attempt, receipt)?,
            // What failed before the wave may fail again.
            Event::Rewound { .. } => self.fails_now = self.failed_on_base.clone(),
            _ => {}
        }
        Ok(())
    }

    fn check_start(&self, attempt: &AttemptId, settings: &Settings) -> Result<(), String> {
        if self.probing {
            return Err(format!("TR-01: {attempt} starts while the base is measured"));
        }
        let unmeasured = settings.always.iter().find(|it| !self.failed_on_base.contains_key(*it));
        match unmeasured.filter(|_| settings.probe != ProbeScope::Nothing) {
            Some(command) => Err(format!("TR-02: {attempt} starts before {command:?} is measured")),
            None => Ok(()),
        }
    }

    fn check_landing(&mut self, attempt: &AttemptId, receipt: &Receipt) -> Result<(), String> {
        for result in &receipt.checks {
            let failed = self.fails_now.get(&result.command).copied().unwrap_or(false);
            if result.excuse == Some(CheckExcuse::FailedBefore) && !failed {
                let command = &result.command;
                return Err(format!("TR-02: {attempt} adds the failure of {command:?}"));
            }
            if result.passed() {
                self.fails_now.insert(result.command.clone(), false);
            }
        }
        Ok(())
    }
}
