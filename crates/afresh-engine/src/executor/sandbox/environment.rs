//! The environment of workers and checks: an allowlist, never everything.

use std::collections::BTreeMap;

use crate::executor::ExecutorContext;
use crate::layout::text;

impl ExecutorContext {
    /// The variables of a job; `afresh` itself is on its PATH.
    pub(crate) fn environment(
        &self,
        allowed: &[String],
        own: &[(&str, String)],
    ) -> BTreeMap<String, String> {
        let mut variables: BTreeMap<String, String> = self.config.workers.variables(allowed);
        let path = variables
            .get("PATH")
            .cloned()
            .unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned());
        variables.insert("PATH".to_owned(), format!("{}:{path}", text(&self.layout.tools())));
        for (name, value) in own {
            variables.insert((*name).to_owned(), value.clone());
        }
        variables
    }
}
