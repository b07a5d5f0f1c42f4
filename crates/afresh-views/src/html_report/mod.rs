//! A report as one HTML page that needs nothing else: no script, no network, no other file (LO-04).
//!
//! | module | what it holds |
//! | --- | --- |
//! | `markup` | tags, with every text escaped and bounded |
//! | `overview` | headline, figures, what to do next |
//! | `tasks` | a table of tasks, with attempts and receipts that unfold |
//! | `accounts` | requirements, decisions, deviations, tokens and cost |

mod accounts;
mod markup;
mod overview;
mod tasks;

use afresh_app::dashboard::{Dashboard, svg};
use afresh_core::status::trace::RequirementTrace;
use afresh_engine::reports::run_report::RunReport;

use markup::HtmlPage;

/// What a page is made from.
#[derive(Debug, Clone, Copy)]
pub struct HtmlReportParts<'a> {
    pub report: &'a RunReport,
    pub dashboard: &'a Dashboard,
    /// None if the plan states no requirements.
    pub trace: Option<&'a RequirementTrace>,
}

pub fn render(parts: HtmlReportParts<'_>) -> String {
    let HtmlReportParts { report, dashboard, trace } = parts;
    let mut page = HtmlPage::new(&format!("{}: {}", report.plan, report.state.word()));
    overview::headline(&mut page, report, dashboard);
    overview::figures(&mut page, report, dashboard);
    overview::needs_you(&mut page, dashboard);
    overview::next_steps(&mut page, report);
    page.picture("Tasks and dependencies", &svg::graph::render(&dashboard.graph));
    page.picture("Timeline", &svg::timeline::render(&dashboard.timeline));
    if !dashboard.contexts.is_empty() {
        page.picture("Context of each worker", &svg::figures::contexts(&dashboard.contexts));
    }
    if !dashboard.burn_up.points.is_empty() {
        page.picture("Tokens and cost over time", &svg::figures::burn_up(&dashboard.burn_up));
    }
    if !dashboard.retry_heat.rows.is_empty() {
        page.picture(
            "Tasks that needed several attempts",
            &svg::figures::retry_heat(&dashboard.retry_heat),
        );
    }
    tasks::table(&mut page, report);
    accounts::requirements(&mut page, trace);
    accounts::decisions(&mut page, report);
    accounts::deviations(&mut page, report);
    accounts::usage(&mut page, report);
    overview::origin(&mut page, report);
    page.finish()
}
