//! Checks that need a network, which checks do not have, and checks that never end.

use afresh_checks::words_before_program;
use afresh_core::plan::shell::{ShellToken, SimpleCommand, shell_tokens, simple_commands};

/// Programs that talk to other machines.
const REMOTE: &[&str] = &[
    "ssh", "sftp", "ftp", "telnet", "ping", "dig", "nslookup", "host", "gh", "aws", "gcloud", "az",
    "heroku", "vercel", "netlify", "flyctl", "apt", "apt-get", "apk", "yum", "dnf", "brew", "snap",
    "doctl",
];

/// Subcommands of package managers that fetch something.
const FETCHING: &[(&str, &[&str])] = &[
    ("npm", &["install", "i", "ci", "add", "update", "publish", "audit"]),
    ("pnpm", &["install", "i", "add", "update", "publish", "dlx"]),
    ("yarn", &["install", "add", "upgrade", "up", "publish", "dlx"]),
    ("bun", &["install", "add", "update"]),
    ("pip", &["install", "download"]),
    ("pip3", &["install", "download"]),
    ("pipx", &["install", "run"]),
    ("poetry", &["install", "add", "update"]),
    ("uv", &["sync", "add", "pip"]),
    ("cargo", &["install", "publish", "add", "search"]),
    ("go", &["get", "install"]),
    ("gem", &["install"]),
    ("bundle", &["install", "update"]),
    ("composer", &["install", "require", "update"]),
    ("git", &["clone", "fetch", "pull", "push", "ls-remote"]),
    ("docker", &["pull", "push", "login"]),
    ("helm", &["repo", "pull"]),
    ("dotnet", &["restore"]),
    ("mix", &["deps.get"]),
    ("terraform", &["init", "apply", "plan"]),
    ("kubectl", &["get", "logs", "exec", "rollout"]),
    ("flutter", &["pub"]),
];

/// What of a check needs another machine.
pub(super) fn needs_network(command: &str) -> Option<String> {
    simple_commands(command).iter().find_map(remote_part)
}

fn remote_part(command: &SimpleCommand) -> Option<String> {
    let words = &without_launchers(&command.words);
    let program = words.first().map(|word| word.rsplit('/').next().unwrap_or(word))?;
    let shown = || words.iter().take(3).cloned().collect::<Vec<_>>().join(" ");
    let names_local = || words.iter().skip(1).filter_map(|word| host_of(word)).any(is_local);
    if REMOTE.contains(&program) {
        return (!names_local()).then(shown);
    }
    if matches!(program, "scp" | "rsync") {
        return words.iter().skip(1).any(|word| is_remote_address(word)).then(shown);
    }
    if matches!(program, "curl" | "wget" | "http" | "https" | "nc" | "httpie" | "wait-on") {
        let host = words.iter().skip(1).find_map(|word| host_of(word))?;
        return (!is_local(host)).then(shown);
    }
    let python =
        words.iter().position(|word| word == "-m").filter(|_| program.starts_with("python"));
    let (program, rest) = match python {
        Some(at) => (words.get(at + 1).map_or("", String::as_str), &words[at + 1..]),
        None => (program, &words[..]),
    };
    let (_, subcommands) = FETCHING.iter().find(|(name, _)| *name == program)?;
    let names_directory = |word: &String| {
        matches!(word.as_str(), "--prefix" | "-C" | "--dir" | "--cwd" | "--directory" | "--project")
    };
    let mut after = rest.iter().skip(1).peekable();
    let subcommand = loop {
        let word = after.next()?;
        if names_directory(word) {
            after.next();
        } else if !word.starts_with('-') {
            break word;
        }
    };
    // `uv pip check`, `flutter pub deps`
    if matches!(subcommand.as_str(), "pip" | "pub") {
        let fetches = |word: &&String| {
            matches!(word.as_str(), "install" | "sync" | "get" | "add" | "upgrade" | "compile")
        };
        return after.peek().filter(|word| fetches(word)).map(|_| shown());
    }
    // What lies in the repository is not fetched.
    let is_offline = words.iter().any(|word| {
        matches!(word.as_str(), "--offline" | "--no-index" | "--dry-run" | "--local" | "--path")
    });
    // `git push ./x.git`, `git clone . copy`, `pip install --no-deps .`: from one directory to another.
    let is_here = words.iter().any(|word| is_local_path(word.as_str()))
        && (program == "git" || program == "go" || words.iter().any(|word| word == "--no-deps"));
    (subcommands.contains(&subcommand.as_str()) && !is_offline && !is_here).then(shown)
}

/// The words of the program itself: `npx wait-on` starts `wait-on`.
fn without_launchers(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    while let Some(before) = words_before_program(&words) {
        words.drain(..before);
    }
    words
}

/// A directory, or something that only the shell knows.
fn is_local_path(word: &str) -> bool {
    matches!(word, "." | "..")
        || ["./", "../", "/", "$", "file:"].iter().any(|start| word.starts_with(start))
}

/// `user@host:path`, `rsync://host/path`.
fn is_remote_address(word: &str) -> bool {
    let before_path = word.split('/').next().unwrap_or(word);
    !word.starts_with('-') && before_path.contains(':') && !before_path.starts_with("localhost:")
}

/// The host of an address: `https://x.org/a`, `x.org:80/a`.
fn host_of(word: &str) -> Option<&str> {
    let rest = word.split_once("://").map(|(_, rest)| rest);
    let bare = rest.or_else(|| {
        (!word.starts_with('-') && word.contains('.') && !word.contains(['{', '"'])).then_some(word)
    });
    let bare = bare.or_else(|| word.starts_with("localhost").then_some(word))?;
    let bare = bare.trim_start_matches('@');
    let host = bare.split(['/', ':', '?']).next()?;
    (!host.is_empty() && !host.contains('$')).then_some(host)
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "0.0.0.0" | "[")
        || host.starts_with("127.")
        || host.ends_with(".localhost")
        || host.rsplit('.').next() == Some("local")
}

/// Words that start a server, or wait for changes.
const SERVING: &[(&str, &[&str])] = &[
    ("npm", &["start", "dev", "serve", "watch", "preview"]),
    ("pnpm", &["start", "dev", "serve", "watch", "preview"]),
    ("yarn", &["start", "dev", "serve", "watch", "preview"]),
    ("bun", &["dev", "start"]),
    ("next", &["dev", "start"]),
    ("vite", &["dev", "preview", "serve"]),
    ("flask", &["run"]),
    ("rails", &["server", "s"]),
    ("hugo", &["server", "serve"]),
    ("mkdocs", &["serve"]),
    ("http-server", &[]),
    ("live-server", &[]),
    ("uvicorn", &[]),
    ("gunicorn", &[]),
    ("nodemon", &[]),
    ("watch", &[]),
    ("vim", &[]),
    ("nano", &[]),
];

/// What of a check does not end by itself. Behind `&` or `timeout` it is ended by something else.
pub(super) fn never_ends(command: &str) -> Option<String> {
    let tokens = shell_tokens(command)?;
    let is_ended = tokens.iter().any(|token| match token {
        ShellToken::Operator(operator) => *operator == "&",
        ShellToken::Word { text, .. } => {
            matches!(text.as_str(), "timeout" | "start-server-and-test" | "concurrently")
        }
        _ => false,
    });
    if is_ended {
        return None;
    }
    simple_commands(command).into_iter().find_map(|simple| {
        let words = without_launchers(&simple.words);
        let program =
            words.first().map(|word| word.rsplit('/').next().unwrap_or(word).to_owned())?;
        let has = |word: &str| words.iter().any(|other| other == word);
        let first = words
            .iter()
            .skip(1)
            .find(|word| !word.starts_with('-') && (*word != "run" || program == "flask"))
            .map_or("", String::as_str);
        let serves = SERVING.iter().any(|(name, subcommands)| {
            *name == program && (subcommands.is_empty() || subcommands.contains(&first))
        });
        let follows =
            (program == "tail" && (has("-f") || has("-F"))) || has("--watch") || has("--watchAll");
        let is_server = has("-m") && has("http.server")
            || has("runserver")
            || (program == "php" && has("-S"))
            || (program.starts_with("docker") && is_attached_compose(&words));
        // `npm start -- list` gives words to a program that ends, as far as we know.
        let serves = serves && !has("--");
        (serves || follows || is_server)
            .then(|| words.iter().take(3).cloned().collect::<Vec<_>>().join(" "))
    })
}

/// `docker compose up` shows the output of its services until somebody stops it.
fn is_attached_compose(words: &[String]) -> bool {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    has(&["compose", "docker-compose"])
        && has(&["up"])
        && !has(&["-d", "--detach", "--wait", "--no-start", "--abort-on-container-exit"])
        && !words.iter().any(|word| word.starts_with("--exit-code-from"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_recognised() {
        for text in [
            "curl -sf https://api.example.com/health",
            "pip install -r requirements.txt && pytest",
            "python3 -m pip install x",
            "npm ci && npm test",
            "git clone https://example.com/x.git",
            "wget example.com/a.txt",
            "go get ./... && go test",
            "docker pull postgres",
            "rsync -a src/ deploy@host:/srv",
            "ping -c1 example.com",
            "npm --prefix web ci && npm test",
            "uv pip install -r requirements.txt",
            "npx wait-on https://api.example.com",
        ] {
            // `go get ./...` names the repository itself.
            assert_eq!(needs_network(text).is_some(), !text.starts_with("go get"), "{text}");
        }
        for text in [
            "curl -sf http://localhost:8080/health",
            "curl 127.0.0.1:3000",
            "npm test",
            "git diff --exit-code",
            "cargo test --offline",
            "curl -d '{\"a\":1.5}' localhost:80",
            "rsync -a src/ out/ && test -f out/a",
            "ping -c 1 127.0.0.1",
            "git init -q --bare /tmp/r.git && git push -q /tmp/r.git HEAD:main",
            "git clone \"$DIR/remote.git\" copy",
            "uv pip check",
            "aws --endpoint-url http://localhost:4566 s3 ls",
        ] {
            assert_eq!(needs_network(text), None, "{text}");
        }
    }

    #[test]
    fn servers_are_recognised() {
        for text in [
            "npm run dev",
            "npm start",
            "python3 -m http.server",
            "npx vitest --watch",
            "tail -f log",
            "flask run",
            "docker compose up",
            "php -S localhost:8000",
            "npx http-server dist",
        ] {
            assert!(never_ends(text).is_some(), "{text}");
        }
        for text in [
            "npm run build",
            "npm run dev & sleep 1; curl localhost",
            "timeout 5 npm start",
            "tail -n 3 log",
            "npm start -- list",
            "docker compose up -d --wait",
            "docker compose up --exit-code-from tests",
        ] {
            assert_eq!(never_ends(text), None, "{text}");
        }
    }
}
