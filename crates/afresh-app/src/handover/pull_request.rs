//! A run as a pull request: checked first, then pushed, then opened or updated.

use std::collections::BTreeMap;

use afresh_core::Run;
use afresh_engine::RepoContext;
use afresh_git::ref_names::{RECEIPT_NOTES, branch_ref};
use afresh_git::{PushedRef, RemoteAccess};
use afresh_secrets::redact;
use schemars::JsonSchema;
use serde::Serialize;

use super::forge::{Forge, ForgeRequest};
use super::program::ForgeRunner;
use super::target::{HandoverOptions, HandoverTarget, find_target};
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;

/// GitHub takes 65,536 characters; some characters count as several.
const MAX_BODY_BYTES: usize = 60_000;
const MAX_TITLE_CHARS: usize = 120;

/// Title and body of a pull request: bounded and without secrets.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct PullRequestText {
    pub title: String,
    pub body: String,
}

impl PullRequestText {
    /// What does not fit is cut at the end of a line.
    pub fn new(title: &str, body: &str, secrets: &[String]) -> Self {
        let title = redact(title, secrets);
        let mut body = redact(body, secrets);
        if body.len() > MAX_BODY_BYTES {
            let cut = (0..=MAX_BODY_BYTES).rev().find(|at| body.is_char_boundary(*at));
            body.truncate(cut.unwrap_or(0));
            let line = body.rfind('\n').unwrap_or(body.len());
            body.truncate(line);
            body.push_str("\n\n*The rest is left out: it does not fit.*\n");
        }
        Self { title: title.chars().take(MAX_TITLE_CHARS).collect(), body }
    }
}

/// What was done, or with `--dry-run` would be.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct HandoverOutcome {
    /// The commit that the branch of the remote has.
    pub commit: String,
    pub remote: String,
    pub branch: String,
    pub base: String,
    /// `gh` or `glab`.
    pub program: &'static str,
    /// `create` or `update`.
    pub action: HandoverAction,
    /// Of the pull request; null if it is not open yet.
    pub number: Option<u64>,
    pub url: Option<String>,
    /// Whether the receipts were pushed too; null if there are none.
    pub receipts_pushed: Option<bool>,
    #[serde(flatten)]
    pub text: PullRequestText,
    pub draft: bool,
    pub dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HandoverAction {
    Create,
    Update,
}

/// Whether anything is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandoverMode {
    Real,
    DryRun,
}

/// A pull request that is about to be opened.
#[derive(Debug)]
pub struct Handover<'a> {
    context: &'a AppContext,
    repository: &'a RepoContext,
    run: &'a Run,
    environment: BTreeMap<String, String>,
    target: HandoverTarget,
    options: &'a HandoverOptions,
}

impl<'a> Handover<'a> {
    /// Decides on remote, branch and base; nothing is changed.
    pub fn plan(
        context: &'a AppContext,
        repository: &'a RepoContext,
        run: &'a Run,
        options: &'a HandoverOptions,
    ) -> Result<Self, AppError> {
        let environment = context.environment.all();
        let access = RemoteAccess { repository: &repository.git, environment: &environment };
        let target = find_target(access, run, options)?;
        Ok(Self { context, repository, run, environment, target, options })
    }

    pub fn forge(&self) -> Forge {
        self.target.forge
    }

    /// Pushes and opens, or updates what is open. Everything that can fail without a push is tried before it.
    pub fn carry_out(
        &self,
        text: PullRequestText,
        mode: HandoverMode,
        notices: &mut Vec<Notice>,
    ) -> Result<HandoverOutcome, AppError> {
        let (target, forge) = (&self.target, self.target.forge);
        let repository = target.repository();
        let request = ForgeRequest {
            branch: &target.branch,
            base: &target.base,
            title: &text.title,
            body: &text.body,
            is_draft: self.options.is_draft,
            repository: repository.as_deref(),
        };
        let directory = self.context.directory()?;
        let runner = ForgeRunner::new(self.context, &directory)
            .map_err(|why| self.not_pushed(&request, why))?;
        if let Some(obstacle) = forge.find_obstacle(&runner, target.host().as_deref()) {
            return Err(self.not_pushed(&request, obstacle));
        }
        let found = forge.find(&runner, &request).map_err(|why| self.not_pushed(&request, why))?;
        let receipts_pushed = match mode {
            HandoverMode::DryRun => self.has_notes()?.then_some(false),
            HandoverMode::Real => {
                self.push_branch()?;
                self.push_notes(notices)?
            }
        };
        let url = match (&found, mode) {
            (_, HandoverMode::DryRun) => found.as_ref().and_then(|found| found.url.clone()),
            (Some(open), HandoverMode::Real) => {
                let updated = forge.update(&runner, &request, open);
                updated.map_err(|why| self.only_pushed(&request, why))?;
                open.url.clone()
            }
            (None, HandoverMode::Real) => {
                let created = forge.create(&runner, &request);
                created.map_err(|why| self.only_pushed(&request, why))?
            }
        };
        Ok(HandoverOutcome {
            commit: self.run.tip().to_string(),
            remote: target.remote.name.clone(),
            branch: target.branch.clone(),
            base: target.base.clone(),
            program: forge.program(),
            action: if found.is_some() { HandoverAction::Update } else { HandoverAction::Create },
            number: found.map(|found| found.number),
            url,
            receipts_pushed,
            text,
            draft: self.options.is_draft,
            dry_run: mode == HandoverMode::DryRun,
        })
    }

    fn access(&self) -> RemoteAccess<'_> {
        RemoteAccess { repository: &self.repository.git, environment: &self.environment }
    }

    fn push_branch(&self) -> Result<(), AppError> {
        let target = &self.target;
        if target.is_pushed(self.run.tip()) {
            return Ok(());
        }
        let pushed = PushedRef {
            commit: self.run.tip().clone(),
            target: branch_ref(&target.branch),
            replaces: target.replaces.clone(),
        };
        self.access().push(&target.remote.name, &pushed).map_err(|error| {
            let message = format!("cannot push {} to {}", target.branch, target.remote.name);
            let command = target.push_command(self.run.tip(), None);
            AppError::incomplete("push", message)
                .cause(error.to_string())
                .hint(format!("nothing was changed there; by hand it is `{command}`"))
        })
    }

    fn has_notes(&self) -> Result<bool, AppError> {
        Ok(self.repository.git.read_ref(RECEIPT_NOTES).map_err(AppError::git)?.is_some())
    }

    /// Notes of others on the remote are no reason to fail: the branch is there, and the receipts can be merged later.
    fn push_notes(&self, notices: &mut Vec<Notice>) -> Result<Option<bool>, AppError> {
        let notes = self.repository.git.read_ref(RECEIPT_NOTES).map_err(AppError::git)?;
        let Some(commit) = notes else { return Ok(None) };
        let remote = &self.target.remote.name;
        let pushed = PushedRef { commit, target: RECEIPT_NOTES.to_owned(), replaces: None };
        if let Err(error) = self.access().push(remote, &pushed) {
            let why = redact(&error.to_string(), &self.context.environment.secrets());
            notices.push(Notice::warning(format!(
                "the receipts could not be pushed: {why}; `git fetch {remote} {RECEIPT_NOTES}:{RECEIPT_NOTES}-{remote}`, \
                 `git notes --ref=afresh merge -s cat_sort_uniq afresh-{remote}`, then `git push {remote} {RECEIPT_NOTES}`"
            )));
            return Ok(Some(false));
        }
        Ok(Some(true))
    }

    /// The forge cannot be asked, so nothing was begun.
    fn not_pushed(&self, request: &ForgeRequest<'_>, why: String) -> AppError {
        let (target, forge) = (&self.target, self.target.forge);
        let notes = self.has_notes().unwrap_or(false).then_some(RECEIPT_NOTES);
        let push = target.push_command(self.run.tip(), notes);
        let message = format!("cannot open a {} with `{}`", forge.noun(), forge.program());
        AppError::incomplete("forge", message).cause(why).hint(format!(
            "nothing was pushed; by hand it is `{push}`, then `{}`",
            forge.by_hand(request)
        ))
    }

    /// The push succeeded; the rest can be done again.
    fn only_pushed(&self, request: &ForgeRequest<'_>, why: String) -> AppError {
        let (target, forge) = (&self.target, self.target.forge);
        let message =
            format!("{} was pushed to {}, and nothing else", target.branch, target.remote.name);
        AppError::incomplete("forge", message).cause(why).hint(format!(
            "`{}` tries again; by hand it is `{}`",
            self.options.command(self.run.id().as_str()),
            forge.by_hand(request)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-09: a text is bounded, and holds no secret.
    #[test]
    fn a_text_is_bounded_and_redacted() {
        let secrets = ["hunter22hunter".to_owned()];
        let long = format!("key hunter22hunter\n{}", "a line ä\n".repeat(10_000));
        let text = PullRequestText::new(&"t".repeat(500), &long, &secrets);
        assert!(text.body.len() < MAX_BODY_BYTES + 100, "{}", text.body.len());
        assert!(text.body.starts_with("key [masked]\n"), "{}", &text.body[..40]);
        assert!(text.body.ends_with("it does not fit.*\n"));
        assert_eq!(text.title.len(), MAX_TITLE_CHARS);
    }
}
