//! `afresh schema NAME`: the formats as JSON Schema.

use afresh_app::text::schemas::OUTPUTS;
use clap::builder::{PossibleValue, PossibleValuesParser};

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Print the JSON Schema of a format, or of what a command prints with `--json`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_parser = names())]
    name: String,
}

/// A format that afresh reads or writes.
struct FormatSchema {
    name: &'static str,
    about: &'static str,
    render: fn() -> String,
}

const FORMATS: [FormatSchema; 3] = [
    FormatSchema {
        name: "plan",
        about: "The native plan format",
        render: afresh_app::formats::native::schema::plan_schema,
    },
    FormatSchema {
        name: "script",
        about: "A script of the scripted agent",
        render: afresh_agents::adapters::scripted::schema::script_schema,
    },
    FormatSchema {
        name: "bundle",
        about: "What a worker is given",
        render: afresh_agents::Bundle::schema,
    },
];

fn names() -> PossibleValuesParser {
    let formats = FORMATS.iter().map(|format| (format.name, format.about));
    let outputs = OUTPUTS.iter().map(|output| (output.name, output.about));
    let value = |(name, about)| PossibleValue::new(name).help(about);
    PossibleValuesParser::new(formats.chain(outputs).map(value))
}

pub(crate) fn schema(args: &Args, output: &Output) -> Exit {
    let format = FORMATS.iter().find(|format| format.name == args.name).map(|it| it.render);
    let printed = OUTPUTS.iter().find(|output| output.name == args.name).map(|it| it.render);
    let render = format.or(printed).expect("the parser accepts no other name");
    output.data(render().trim_end());
    Exit::Done
}
