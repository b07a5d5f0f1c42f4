//! Programming languages by the ends of file names.

/// A language that discovery reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum SourceLanguage {
    Rust,
    Python,
    JavaScript,
    TypeScript,
    Go,
    Java,
    Kotlin,
    C,
    Cpp,
    Ruby,
    Php,
    CSharp,
    /// Counted, and its files are named; its texts are not read.
    Other(&'static str),
}

impl SourceLanguage {
    pub(super) fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, end) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        let found = match end {
            "rs" => Self::Rust,
            "py" | "pyi" | "pyx" => Self::Python,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => Self::TypeScript,
            "go" => Self::Go,
            "java" => Self::Java,
            "kt" | "kts" if name != "build.gradle.kts" && name != "settings.gradle.kts" => {
                Self::Kotlin
            }
            "c" | "h" => Self::C,
            "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx" | "ipp" => Self::Cpp,
            "rb" | "rake" => Self::Ruby,
            "php" => Self::Php,
            "cs" => Self::CSharp,
            other => {
                Self::Other(OTHERS.iter().find(|(ends, _)| ends.contains(&other)).map(|it| it.1)?)
            }
        };
        Some(found)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Go => "Go",
            Self::Java => "Java",
            Self::Kotlin => "Kotlin",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Ruby => "Ruby",
            Self::Php => "PHP",
            Self::CSharp => "C#",
            Self::Other(name) => name,
        }
    }

    /// Whether its texts are read for patterns.
    pub(super) fn is_read(self) -> bool {
        !matches!(self, Self::Other(_))
    }
}

/// Languages that are only counted.
const OTHERS: &[(&[&str], &str)] = &[
    (&["swift"], "Swift"),
    (&["scala", "sc"], "Scala"),
    (&["ex", "exs"], "Elixir"),
    (&["erl", "hrl"], "Erlang"),
    (&["hs"], "Haskell"),
    (&["ml", "mli"], "OCaml"),
    (&["fs", "fsx"], "F#"),
    (&["vb"], "Visual Basic"),
    (&["dart"], "Dart"),
    (&["zig"], "Zig"),
    (&["lua"], "Lua"),
    (&["pl", "pm"], "Perl"),
    (&["r", "R"], "R"),
    (&["jl"], "Julia"),
    (&["clj", "cljs", "cljc"], "Clojure"),
    (&["groovy"], "Groovy"),
    (&["mm"], "Objective-C"),
    (&["sh", "bash", "zsh"], "Shell"),
    (&["ps1", "psm1"], "PowerShell"),
    (&["sql"], "SQL"),
    (&["tf"], "Terraform"),
    (&["proto"], "Protocol Buffers"),
    (&["sol"], "Solidity"),
    (&["nix"], "Nix"),
    (&["cu", "cuh"], "CUDA"),
    (&["asm", "s", "S"], "Assembly"),
    (&["html", "htm"], "HTML"),
    (&["css", "scss", "sass", "less"], "CSS"),
    (&["erb", "twig", "hbs", "ejs", "jinja", "jinja2", "j2", "cshtml", "razor"], "templates"),
];
