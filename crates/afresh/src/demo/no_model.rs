//! Stands in for the scripted model in a build without the feature `scripted-model`.

use std::collections::BTreeMap;
use std::path::Path;

use afresh_agents::AgentProgram;
use afresh_app::error::AppError;
use afresh_app::proxy::HostPattern;

/// There is none in this build.
#[derive(Debug)]
pub(crate) enum ScriptedModel {}

impl ScriptedModel {
    pub(crate) fn by(_: AgentProgram) -> Result<Self, AppError> {
        Err(AppError::usage("model", "this build of afresh has no scripted model")
            .hint("omit `--agent`, or build afresh with the feature `scripted-model`"))
    }

    pub(crate) fn config(&self) -> String {
        match *self {}
    }

    pub(crate) fn host(&self) -> Option<HostPattern> {
        match *self {}
    }

    pub(crate) fn variables(&self, _: &Path) -> BTreeMap<String, String> {
        match *self {}
    }
}
