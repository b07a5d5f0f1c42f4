//! A readable name for a new run.

use afresh_core::Plan;
use afresh_core::ids::RunId;
use afresh_git::ref_names::{OWN_REFS, RUN_BRANCHES, run_branch_name, run_branch_ref};

use super::{LockedRepo, OpenError};

impl LockedRepo {
    /// A readable name that no run and no branch has yet.
    pub(super) fn new_run_id(&self, plan: &Plan) -> Result<RunId, OpenError> {
        let stem = slug(&plan.name);
        let refs = self.context.git.list_refs(RUN_BRANCHES)?;
        let kept = self.context.git.list_refs(OWN_REFS)?;
        // A tag of the same short name would make the branch ambiguous.
        let tag_folder = format!("refs/tags/{}", run_branch_name(""));
        let tags = self.context.git.list_refs(&tag_folder)?;
        let mut known: Vec<String> =
            self.journal.read_all()?.into_iter().map(|record| record.run).collect();
        known.sort();
        known.dedup();
        let taken = |id: &str| {
            known.iter().any(|run| run.eq_ignore_ascii_case(id))
                || refs.keys().any(|name| is_at_or_below(name, &run_branch_ref(id)))
                || tags.contains_key(&format!("{tag_folder}{id}"))
                || kept.keys().any(|name| {
                    name.contains(&format!("/{id}/")) || name.ends_with(&format!("/{id}"))
                })
        };
        let id = (1..=u32::MAX)
            .map(|n| format!("{stem}-{n}"))
            .find(|id| !taken(id))
            .expect("numbers do not end");
        Ok(RunId::new(id).expect("a slug with a number is an id"))
    }
}

/// Git cannot have a ref and another one below its name.
fn is_at_or_below(name: &str, directory: &str) -> bool {
    name.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Letters and digits of a name, joined by dashes; letters with accents lose them.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(40) {
        let folded = without_accent(c);
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if let Some(letters) = folded {
            slug.push_str(letters);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "run".to_owned() } else { slug.to_owned() }
}

/// The plain letters of a Latin letter with an accent.
fn without_accent(c: char) -> Option<&'static str> {
    const FOLDED: &[(&str, &str)] = &[
        ("àáâãåāăą", "a"),
        ("äæ", "ae"),
        ("çćĉċč", "c"),
        ("ďđð", "d"),
        ("èéêëēĕėęě", "e"),
        ("ĝğġģ", "g"),
        ("ìíîïĩīĭįı", "i"),
        ("ĺļľŀł", "l"),
        ("ñńņň", "n"),
        ("òóôõøōŏő", "o"),
        ("öœ", "oe"),
        ("ŕŗř", "r"),
        ("śŝşšș", "s"),
        ("ß", "ss"),
        ("ţťŧț", "t"),
        ("ùúûũūŭůűų", "u"),
        ("ü", "ue"),
        ("ýÿŷ", "y"),
        ("źżž", "z"),
    ];
    let lower = c.to_lowercase().next()?;
    FOLDED.iter().find(|(letters, _)| letters.contains(lower)).map(|(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_accents_becomes_a_readable_id() {
        assert_eq!(slug("Übung — with ünïcode"), "uebung-with-uenicode");
        assert_eq!(slug("Größe & Façade"), "groesse-facade");
        assert_eq!(slug("日本"), "run");
    }
}
