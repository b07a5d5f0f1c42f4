//! Environment variables that hold secrets, recognised by their names.

const SECRET_WORDS: &[&str] =
    &["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "HEADER", "COOKIE"];

/// Whether a variable of this name holds a secret. `GIT_AUTHOR_NAME` does not, although it contains
/// `AUTH`.
pub fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase().replace("AUTHOR", "");
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B36.
    #[test]
    fn secret_variables_are_recognised_by_name() {
        for name in ["ANTHROPIC_API_KEY", "gh_token", "DB_PASSWORD", "HTTP_AUTH"] {
            assert!(is_secret_variable(name), "{name}");
        }
        for name in ["PATH", "HOME", "GIT_AUTHOR_NAME"] {
            assert!(!is_secret_variable(name), "{name}");
        }
    }
}
