//! `afresh config list`: every value, and where it comes from.

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::ColorChoice;
use crate::exit::Exit;
use crate::terminal::output::{Output, safe};
use afresh_app::config::{self, Config};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;

/// Show the configuration
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: ConfigAction,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigAction {
    /// Print the effective settings
    List {
        /// Also print the file and line, variable or option that set each one
        #[arg(long)]
        origin: bool,
        /// Also print the built-in prices of models
        #[arg(long)]
        prices: bool,
    },
}

pub(crate) fn config(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let ConfigAction::List { origin, prices } = args.what;
    let directory = context.directory()?;
    let config = config::load(&directory, context.config_file.as_deref())?;
    for warning in &config.warnings {
        output.note_finding(warning);
    }
    let values = values(&config, context, output);
    if output.json {
        output.document(&values);
        return Ok(Exit::Done);
    }
    let is_built_in_price = |value: &EffectiveSetting| {
        value.key.starts_with("prices.") && matches!(value.origin, SettingOrigin::BuiltIn)
    };
    let (hidden, shown): (Vec<_>, Vec<_>) =
        values.iter().partition(|value| !prices && is_built_in_price(value));
    for value in shown {
        let text = safe(&format!("{} = {}", value.key, value.value));
        let text =
            if origin { format!("{text:<48} # {}", safe(&value.origin.describe())) } else { text };
        output.data(text.trim_end());
    }
    if !hidden.is_empty() {
        output.note("the built-in prices of models are left out; `--prices` shows them");
    }
    Ok(Exit::Done)
}

/// One effective setting, and where it comes from.
#[derive(Debug, Serialize)]
struct EffectiveSetting {
    key: String,
    value: Value,
    origin: SettingOrigin,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum SettingOrigin {
    BuiltIn,
    File { file: String, line: usize },
    Variable { name: &'static str },
    Flag { name: &'static str },
}

impl SettingOrigin {
    fn describe(&self) -> String {
        match self {
            Self::BuiltIn => "built-in".to_owned(),
            Self::File { file, line } => format!("{file}:{line}"),
            Self::Variable { name } => format!("variable {name}"),
            Self::Flag { name } => format!("flag {name}"),
        }
    }
}

fn values(config: &Config, context: &AppContext, output: &Output) -> Vec<EffectiveSetting> {
    let from_file = config.values().into_iter().map(|listed| {
        let origin = match config.written.get(&listed.key) {
            Some(written) => SettingOrigin::File { file: config.shown.clone(), line: written.line },
            None => SettingOrigin::BuiltIn,
        };
        EffectiveSetting { key: listed.key, value: listed.value, origin }
    });
    from_file.chain(around(config, context, output)).collect()
}

/// Settings that no file can change: directories and colours.
fn around(config: &Config, context: &AppContext, output: &Output) -> Vec<EffectiveSetting> {
    let variable = |set: bool, name| {
        if set { SettingOrigin::Variable { name } } else { SettingOrigin::BuiltIn }
    };
    let held = |key: &str, value, origin| EffectiveSetting { key: key.to_owned(), value, origin };
    let file = if config.is_from_file() { json!(config.shown) } else { Value::Null };
    let given = match context.config_file {
        Some(_) => SettingOrigin::Flag { name: "--config" },
        None => SettingOrigin::BuiltIn,
    };
    let state = context.environment.state_directory();
    let color = match output.color_option {
        ColorChoice::Always => (json!("always"), SettingOrigin::Flag { name: "--color" }),
        ColorChoice::Never => (json!("never"), SettingOrigin::Flag { name: "--color" }),
        ColorChoice::Auto if context.environment.no_color() => {
            (json!("never"), SettingOrigin::Variable { name: "NO_COLOR" })
        }
        ColorChoice::Auto => (json!("auto"), SettingOrigin::BuiltIn),
    };
    let containment = context.environment.containment_word();
    vec![
        held("file", file, given),
        held(
            "state",
            state.as_ref().map_or_else(|| json!(".afresh/state"), |path| json!(path)),
            variable(state.is_some(), "AFRESH_STATE"),
        ),
        held(
            "cache",
            json!(context.environment.cache_directory()),
            context
                .environment
                .cache_variable()
                .map_or(SettingOrigin::BuiltIn, |name| SettingOrigin::Variable { name }),
        ),
        held(
            "containment",
            json!(containment.unwrap_or("auto")),
            variable(containment.is_some(), "AFRESH_CONTAINMENT"),
        ),
        held("color", color.0, color.1),
    ]
}
