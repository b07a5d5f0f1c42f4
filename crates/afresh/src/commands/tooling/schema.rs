//! `afresh schema NAME`: the formats as JSON Schema.

use afresh_app::text::schemas;
use clap::ValueEnum;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Print the JSON Schema of a format
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum)]
    name: SchemaName,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SchemaName {
    /// The native plan format
    Plan,
    /// A script of the scripted agent
    Script,
    /// What a worker is given
    Bundle,
    /// What `afresh status --json` prints
    Status,
    /// What `afresh questions --json` prints
    Questions,
    /// What `afresh runs --json` prints
    Runs,
    /// What `afresh report --json` prints
    Report,
    /// One line of `afresh run --json`
    Events,
    /// What any command prints with `--json` when it fails
    Error,
}

pub(crate) fn schema(args: &Args, output: &Output) -> Exit {
    let text = match args.name {
        SchemaName::Script => afresh_agents::adapters::scripted::schema::script_schema(),
        SchemaName::Bundle => afresh_agents::Bundle::schema(),
        SchemaName::Plan => afresh_app::formats::native::schema::plan_schema(),
        SchemaName::Status => schemas::status_schema(),
        SchemaName::Questions => schemas::questions_schema(),
        SchemaName::Runs => schemas::runs_schema(),
        SchemaName::Report => schemas::report_schema(),
        SchemaName::Events => schemas::events_schema(),
        SchemaName::Error => schemas::error_schema(),
    };
    output.data(text.trim_end());
    Exit::Done
}
