//! Package registries of a repository, by the names of its files.

use std::path::Path;

/// Files at the root of a repository, and the hosts of their registries.
const REGISTRIES: &[(&[&str], &[&str])] = &[
    (&["Cargo.toml"], &["index.crates.io", "static.crates.io", "crates.io"]),
    (&["package.json", "deno.json"], &["registry.npmjs.org", "registry.yarnpkg.com"]),
    (&["deno.json", "deno.jsonc"], &["jsr.io", "npm.jsr.io", "deno.land"]),
    (
        &["pyproject.toml", "requirements.txt", "setup.py", "setup.cfg", "Pipfile"],
        &["pypi.org", "files.pythonhosted.org"],
    ),
    (&["go.mod"], &["proxy.golang.org", "sum.golang.org"]),
    (&["Gemfile"], &["rubygems.org", "index.rubygems.org"]),
    (&["composer.json"], &["repo.packagist.org", "packagist.org"]),
    (
        &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        &["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
    ),
    (&["mix.exs"], &["hex.pm", "repo.hex.pm"]),
    (&["pubspec.yaml"], &["pub.dev"]),
];

pub(super) fn registry_hosts(root: &Path) -> impl Iterator<Item = &'static str> {
    let known =
        REGISTRIES.iter().filter(|(files, _)| files.iter().any(|it| root.join(it).is_file()));
    known.flat_map(|(_, hosts)| hosts.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registries_follow_from_what_is_there() {
        let root = tempfile::tempdir().expect("a directory");
        assert_eq!(registry_hosts(root.path()).count(), 0);
        for file in ["Cargo.toml", "package.json"] {
            std::fs::write(root.path().join(file), "").expect("written");
        }
        let hosts: Vec<&str> = registry_hosts(root.path()).collect();
        assert!(hosts.contains(&"index.crates.io") && hosts.contains(&"registry.npmjs.org"));
        let all = REGISTRIES.iter().flat_map(|(_, hosts)| hosts.iter());
        assert!(all.clone().count() > 10);
        assert!(all.into_iter().all(|host| host.parse::<afresh_proxy::HostPattern>().is_ok()));
    }
}
