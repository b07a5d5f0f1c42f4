//! Who sees what is recorded.

use afresh_engine::reports::activity::ActivityLog;
use afresh_engine::reports::issues::IssueList;
use afresh_engine::{RepoContext, Reporter};

use crate::app::error::Failure;
use crate::app::text::moment;
use crate::reporters::json_events::EventLines;
use crate::reporters::progress::{Progress, Questions};
use crate::reporters::state_page::StatePage;
use crate::terminal::output::Output;
use crate::terminal::questions::Person;

pub(super) fn watchers(
    place: &RepoContext,
    person: Option<&Person>,
    output: &Output,
) -> Result<Vec<Box<dyn Reporter>>, Failure> {
    let log = ActivityLog::open(&place.layout.activity_log(), moment::iso).map_err(|error| {
        Failure::usage("log", format!("cannot write {}", place.layout.activity_log().display()))
            .cause(error.to_string())
    })?;
    let view: Box<dyn Reporter> = if output.json {
        Box::new(EventLines { output: output.clone() })
    } else {
        let asked = person.map_or(Questions::ToldHere, |_| Questions::AskedElsewhere);
        Box::new(Progress::new(output.clone(), asked))
    };
    let mut watchers: Vec<Box<dyn Reporter>> = vec![Box::new(log)];
    watchers.extend(pages(place));
    watchers.push(view);
    watchers.extend(person.map(|person| Box::new(person.clone()) as Box<dyn Reporter>));
    Ok(watchers)
}

/// Those who keep the files that people open, whoever changes the run.
pub(crate) fn pages(place: &RepoContext) -> [Box<dyn Reporter>; 2] {
    let issues = IssueList::new(place.layout.issues(), moment::iso);
    let page = StatePage::new(place.layout.state_page());
    [Box::new(issues), Box::new(page)]
}
