use super::*;

/// Each command as its words, with `<` and `>` before redirected files, and `@` before a directory.
fn described(line: &str) -> Vec<String> {
    let describe = |command: SimpleCommand| {
        let mut parts: Vec<String> =
            command.assignments.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.extend(command.words);
        parts.extend(command.inputs.iter().map(|file| format!("<{file}")));
        parts.extend(command.outputs.iter().map(|file| format!(">{file}")));
        match command.directory.as_deref() {
            Some("") => {}
            Some(directory) => parts.push(format!("@{directory}")),
            None => parts.push("@?".to_owned()),
        }
        parts.join(" ")
    };
    simple_commands(line).into_iter().map(describe).collect()
}

#[track_caller]
fn is(line: &str, expected: &[&str]) {
    assert_eq!(described(line), expected, "{line}");
}

#[test]
fn lists_pipes_groups_and_conditions_are_taken_apart() {
    is("npm test && ! grep -q 'a b' x", &["npm test", "grep -q a b x"]);
    is("a | b; c & d || e\nf", &["a", "b", "c", "d", "e", "f"]);
    is("{ a; b; } && (c; d)", &["a", "b", "c", "d"]);
    is("if test -f x; then a; elif b; then c; else d; fi", &["test -f x", "a", "b", "c", "d"]);
    is("while read x; do cat $x; done < list", &["read x", "cat $x", "<list"]);
    is("for f in a b; do sh $f; done", &["for f in a b", "sh $f"]);
    is("case $x in a|b) c;; *) d x;; esac; e", &["c", "d x", "e"]);
    is("check() { a b; }; check", &["a b", "check"]);
    is("[[ -f a && b < c ]] && d # e", &["[[ -f a && b < c ]]", "d"]);
}

#[test]
fn quotes_and_substitutions_are_read_as_the_shell_reads_them() {
    is("grep \"it's\" 'a|b;c' d\\ e", &["grep it's a|b;c d e"]);
    is("test \"$(wc -l < f)\" -ge 3", &["wc -l <f", "test $(wc -l < f) -ge 3"]);
    is("x=$(cat v) y `cat w`", &["cat v", "cat w", "x=$(cat v) y cat w"]);
    is("echo '$(rm a)' $((1 + 2))", &["echo $(rm a) $((1 + 2))"]);
    is("diff <(sort a) <(sort b)", &["sort a", "sort b", "diff <(sort a) <(sort b)"]);
    is("echo ${x:-$(cat v)}", &["cat v", "echo ${x:-$(cat v)}"]);
}

#[test]
fn redirections_name_files_and_not_descriptors() {
    is("a <b >c 2>&1 2>> d <&3 >&-", &["a <b >c >d"]);
    is("a &> 'b c' <<< word", &["a >b c"]);
    is("> out", &[">out"]);
    is("cat <<EOF && b\n$(c d)\nnot a command\nEOF\ne", &["c d", "cat", "b", "e"]);
}

#[test]
fn wrappers_are_looked_into() {
    is("env -u X A=b timeout -k 1 5 python3 t.py", &["A=b python3 t.py"]);
    is("A=1 B=2 nice -n 5 nohup a -n", &["A=1 B=2 a -n"]);
    is("ls | xargs -n 1 grep -q x", &["ls", "grep -q x"]);
    is("command -v node && time -p node x.js", &["command -v node", "node x.js"]);
    is("env", &["env"]);
    is(
        "find . -name '*.sh' -exec sh -c 'a b' \\; -exec c {} +",
        &["find . -name *.sh -exec sh -c a b ; -exec c {} +", "a b", "c {}"],
    );
    is("eval \"a 'b c'\" d", &["a b c d"]);
}

#[test]
fn shells_inside_shells_are_read() {
    is("bash -euo pipefail -c 'a && b \"c d\"'", &["a", "b c d"]);
    is("sh -c \"grep -q \\\"x y\\\" f\" > out", &[">out", "grep -q x y f"]);
    is("A=b bash -c 'c d'", &["A=b", "c d"]);
    is("bash -lc \"sh -c 'a | b'\"", &["a", "b"]);
    is("bash <<'E'\na\nb c\nE", &["a", "b c"]);
    is("bash -e test.sh -c x", &["bash -e test.sh -c x"]);
    is("python3 -c 'import x'", &["python3 -c import x"]);
}

#[test]
fn the_directory_of_a_command_is_known() {
    is("cd web && npm test", &["cd web", "npm test @web"]);
    is("(cd web; a) && b", &["cd web", "a @web", "b"]);
    is(
        "cd a/b && cd ../c && sh -c 'cd d; e'; f",
        &["cd a/b", "cd ../c @a/b", "cd d @a/c", "e @a/c/d", "f @a/c"],
    );
    is("cd \"$X\" && a; cd b", &["cd $X", "a @?", "cd b @?"]);
    is("cd ../x && a", &["cd ../x", "a @?"]);
    is("env -C web a", &["a @web"]);
}

#[test]
fn nonsense_and_endless_text_end() {
    let hostile = [
        "",
        "(",
        ")",
        "))((",
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "<",
        "<<",
        "<<EOF",
        "<<<",
        "|",
        ";;",
        "&",
        "\\",
        "a '",
        "case",
        "case x in",
        "case x in (",
        "for",
        "if",
        "!",
        "{",
        "}",
        "[[",
        "]]",
        "é$(ü\u{0}",
        "bash -c",
        "env -C",
        "find -exec",
        "eval",
        "\r\n",
        "$'",
        "a() b() (",
        "timeout",
        "x=",
        "=x",
        ">&",
        "&>",
    ];
    for one in hostile {
        simple_commands(one);
        for other in hostile {
            simple_commands(&format!("{one}{other}"));
            simple_commands(&format!("{one} {other} a\n{other}"));
        }
    }
    for part in ["$(", "\"$(", "(", "bash -c '", "a;", "`\\`", "${", "<(", "<<a\n", "a'b\"", "é"] {
        let commands = simple_commands(&part.repeat(100_000));
        assert!(commands.len() <= 2 * MAX_COMMANDS, "{part}: {}", commands.len());
    }
}
