//! GitHub and GitLab, through their own programs `gh` and `glab`.

use serde_json::Value;

use super::program::{ForgeOutput, ForgeRunner};

/// Where pull requests are opened, by the program that does it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forge {
    GitHub,
    GitLab,
}

/// What a pull request is made of.
#[derive(Debug, Clone, Copy)]
pub struct ForgeRequest<'a> {
    pub branch: &'a str,
    pub base: &'a str,
    pub title: &'a str,
    pub body: &'a str,
    pub is_draft: bool,
    /// `OWNER/NAME` or a URL; none where the remote's address does not say.
    pub repository: Option<&'a str>,
}

/// A pull request that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRequest {
    pub number: u64,
    pub url: Option<String>,
}

impl Forge {
    /// By the address of the remote: what does not look like GitLab is asked of `gh`.
    pub fn from_url(url: &str) -> Self {
        let host = host_of(url).to_ascii_lowercase();
        if host.contains("gitlab") { Self::GitLab } else { Self::GitHub }
    }

    pub fn program(self) -> &'static str {
        match self {
            Self::GitHub => "gh",
            Self::GitLab => "glab",
        }
    }

    /// What it calls a pull request.
    pub fn noun(self) -> &'static str {
        match self {
            Self::GitHub => "pull request",
            Self::GitLab => "merge request",
        }
    }

    /// Why it cannot be asked: it is missing, or not logged in.
    pub(super) fn find_obstacle(self, runner: &ForgeRunner, host: Option<&str>) -> Option<String> {
        let program = self.program();
        let mut argv = words(&[program, "auth", "status"]);
        // Another host that is not logged in does not matter.
        argv.extend(host.into_iter().flat_map(|host| ["--hostname".to_owned(), host.to_owned()]));
        match runner.run(&argv, None) {
            Ok(answer) if answer.succeeded => None,
            Ok(answer) => Some(format!("`{program}` is not logged in: {}", answer.complaint())),
            Err(why) => Some(why),
        }
    }

    /// The open pull request of a branch.
    pub(super) fn find(
        self,
        runner: &ForgeRunner,
        request: &ForgeRequest<'_>,
    ) -> Result<Option<FoundRequest>, String> {
        let argv = match self {
            Self::GitHub => {
                let list = ["gh", "pr", "list", "--state", "open", "--head", request.branch];
                let fields = "number,url,isCrossRepository";
                [&list[..], &["--base", request.base, "--json", fields]].concat()
            }
            Self::GitLab => {
                let list = ["glab", "mr", "list", "--source-branch", request.branch];
                [&list[..], &["--target-branch", request.base, "--output", "json"]].concat()
            }
        };
        let answer = ask(runner, &argv, request, None)?;
        let listed: Value = serde_json::from_str(answer.stdout.trim()).unwrap_or(Value::Null);
        let (number, url) = match self {
            Self::GitHub => ("number", "url"),
            Self::GitLab => ("iid", "web_url"),
        };
        // A fork may have a branch of the same name, and its pull request is not ours.
        let is_ours = |one: &&Value| match self {
            Self::GitHub => one["isCrossRepository"].as_bool() != Some(true),
            Self::GitLab => one["source_project_id"] == one["target_project_id"],
        };
        let found = listed.as_array().and_then(|all| all.iter().find(is_ours));
        Ok(found.and_then(|one| {
            let url = one[url].as_str().map(str::to_owned);
            Some(FoundRequest { number: one[number].as_u64()?, url })
        }))
    }

    /// Opens a pull request; returns the address that the program printed.
    pub(super) fn create(
        self,
        runner: &ForgeRunner,
        request: &ForgeRequest<'_>,
    ) -> Result<Option<String>, String> {
        let ForgeRequest { branch, base, title, body, is_draft, .. } = *request;
        let (mut argv, stdin) = match self {
            Self::GitHub => {
                let create = ["gh", "pr", "create", "--head", branch, "--base", base];
                ([&create[..], &["--title", title, "--body-file", "-"]].concat(), Some(body))
            }
            Self::GitLab => {
                let create = ["glab", "mr", "create", "--yes", "--source-branch", branch];
                let more = ["--target-branch", base, "--title", title, "--description", body];
                ([&create[..], &more].concat(), None)
            }
        };
        if is_draft {
            argv.push("--draft");
        }
        let answer = ask(runner, &argv, request, stdin)?;
        Ok(find_url(&answer.stdout))
    }

    /// Gives an existing pull request the new text; its state and reviewers stay.
    pub(super) fn update(
        self,
        runner: &ForgeRunner,
        request: &ForgeRequest<'_>,
        found: &FoundRequest,
    ) -> Result<(), String> {
        let number = found.number.to_string();
        let ForgeRequest { title, body, .. } = *request;
        let (argv, stdin) = match self {
            Self::GitHub => {
                let edit = ["gh", "pr", "edit", &number, "--title", title, "--body-file", "-"];
                (edit.to_vec(), Some(body))
            }
            Self::GitLab => {
                let edit = ["glab", "mr", "update", &number, "--title", title];
                ([&edit[..], &["--description", body]].concat(), None)
            }
        };
        ask(runner, &argv, request, stdin).map(drop)
    }

    /// What a person types instead of what we would run.
    pub fn by_hand(self, request: &ForgeRequest<'_>) -> String {
        let (branch, base) =
            (super::target::shell_word(request.branch), super::target::shell_word(request.base));
        let draft = if request.is_draft { " --draft" } else { "" };
        match self {
            Self::GitHub => format!("gh pr create --head {branch} --base {base}{draft}"),
            Self::GitLab => {
                format!("glab mr create --source-branch {branch} --target-branch {base}{draft}")
            }
        }
    }
}

/// The host in the address of a remote; the whole of a path, which has none.
fn host_of(url: &str) -> &str {
    let authority = match url.split_once("://") {
        Some((_, rest)) => rest.split('/').next().unwrap_or(rest),
        None => match url.split_once(':').filter(|(host, _)| !host.contains('/')) {
            Some((host, _)) => host,
            None => return url,
        },
    };
    let host = authority.rsplit('@').next().unwrap_or(authority);
    host.split(':').next().unwrap_or(host)
}

/// Asks the program about the request's repository.
fn ask(
    runner: &ForgeRunner,
    argv: &[&str],
    request: &ForgeRequest<'_>,
    stdin: Option<&str>,
) -> Result<ForgeOutput, String> {
    let mut argv = words(argv);
    if let Some(repository) = request.repository {
        argv.extend(["--repo".to_owned(), repository.to_owned()]);
    }
    let answer = runner.run(&argv, stdin)?;
    if answer.succeeded {
        return Ok(answer);
    }
    let shown = argv.iter().take(3).cloned().collect::<Vec<String>>().join(" ");
    Err(format!("`{shown}` failed: {}", answer.complaint()))
}

fn words(argv: &[&str]) -> Vec<String> {
    argv.iter().map(|&word| word.to_owned()).collect()
}

/// The last address in an output.
fn find_url(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().filter(|word| word.starts_with("https://"));
    words.next_back().map(|word| word.chars().take(500).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-09: the program follows from the address of the remote.
    #[test]
    fn a_gitlab_remote_is_asked_through_glab() {
        for (url, program) in [
            ("git@github.com:me/app.git", "gh"),
            ("https://gitlab.com/me/app.git", "glab"),
            ("ssh://git@gitlab.example.org:22/me/app", "glab"),
            ("git@github.com:me/gitlab-sync.git", "gh"),
            ("git@gitlab.com:me/app.git", "glab"),
            ("../remote.git", "gh"),
        ] {
            assert_eq!(Forge::from_url(url).program(), program, "{url}");
        }
    }
}
