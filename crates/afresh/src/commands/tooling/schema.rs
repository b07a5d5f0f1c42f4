//! `afresh schema NAME`: the formats as JSON Schema.

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
}

pub(crate) fn schema(args: &Args, output: &Output) -> Exit {
    match args.name {
        SchemaName::Script => {
            output.data(afresh_agents::adapters::scripted::schema::script_schema().trim_end());
        }
        SchemaName::Bundle => output.data(afresh_agents::Bundle::schema().trim_end()),
        SchemaName::Plan => {
            output.data(afresh_app::formats::native::schema::plan_schema().trim_end());
        }
    }
    Exit::Done
}
