//! `afresh schema NAME`: the formats as JSON Schema.

use afresh_app::planner::artifacts::ArtifactKind;
use afresh_app::text::schemas::OUTPUTS;
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::Output;

/// Print the JSON Schema of a format, or of what a command prints with `--json`
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The format or the output; without a name, they are listed
    #[arg(value_parser = names())]
    name: Option<String>,
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

/// Every name, with what it is about.
fn listed() -> impl Iterator<Item = (&'static str, &'static str)> {
    let formats = FORMATS.iter().map(|format| (format.name, format.about));
    let artifacts = ArtifactKind::ALL.iter().map(|kind| (kind.schema_name(), kind.about()));
    formats.chain(artifacts).chain(OUTPUTS.iter().map(|output| (output.name, output.about)))
}

fn names() -> PossibleValuesParser {
    let value = |(name, about)| PossibleValue::new(name).help(about);
    PossibleValuesParser::new(listed().map(value))
}

pub(crate) fn schema(args: &Args, output: &Output) -> Exit {
    let Some(name) = &args.name else {
        list(output);
        return Exit::Done;
    };
    if let Some(kind) = ArtifactKind::ALL.iter().find(|kind| kind.schema_name() == *name) {
        output.data(kind.schema_text().trim_end());
        return Exit::Done;
    }
    let format = FORMATS.iter().find(|format| format.name == *name).map(|it| it.render);
    let printed = OUTPUTS.iter().find(|output| output.name == *name).map(|it| it.render);
    let render = format.or(printed).expect("the parser accepts no other name");
    output.data(render().trim_end());
    Exit::Done
}

fn list(output: &Output) {
    if output.json {
        let entry = |(name, about)| json!({"name": name, "about": about});
        return output.document(&listed().map(entry).collect::<Vec<_>>());
    }
    let width = listed().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in listed() {
        output.prose(&format!("{name:width$}  {about}"));
    }
}
