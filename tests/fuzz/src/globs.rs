//! Patterns and paths: texts with NUL between them, first patterns, then, after an empty one, paths.

use crate::make::check;
use agent_tasklist::{Activation, State, TaskDraft, TaskList};

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut texts = text.split('\0');
    let patterns: Vec<&str> = texts.by_ref().take_while(|text| !text.is_empty()).collect();
    let paths: Vec<&str> = texts.collect();
    let path_is_good = |path: &&str| TaskList::new().files_modified([*path]).is_ok();
    let (paths, bad): (Vec<&str>, Vec<&str>) = paths.into_iter().partition(path_is_good);
    for path in bad {
        let goes_up = path.split('/').any(|segment| segment == "..");
        assert!(goes_up || path.starts_with('/'), "{path:?}");
    }
    let patterns = patterns.into_iter().take(40);
    let good: Vec<(&str, Activation)> = patterns
        .filter_map(|pattern| Some((pattern, Activation::files_modified([pattern]).ok()?)))
        .collect();

    let mut joint = TaskList::new();
    for (i, (_, activation)) in good.iter().enumerate() {
        let again = Activation::files_modified(activation.patterns());
        assert_eq!(again.as_ref(), Ok(activation));
        let draft = TaskDraft::new("T").id(format!("t{i}"));
        joint.create(draft.activation(activation.clone())).unwrap();
    }
    let all = Activation::files_modified(good.iter().map(|(pattern, _)| pattern));
    if let Ok(all) = all {
        let draft = TaskDraft::new("All").id("all").activation(all);
        joint.create(draft).unwrap();
    }
    check(&joint);
    let mut one_by_one = joint.clone();
    joint.files_modified(&paths).unwrap();
    check(&joint);
    for path in &paths {
        one_by_one.files_modified([path]).unwrap();
    }
    assert_eq!(one_by_one, joint);

    let mut any = false;
    for (i, (pattern, activation)) in good.iter().enumerate() {
        let mut alone = TaskList::new();
        let draft = TaskDraft::new("T").id("t").activation(activation.clone());
        alone.create(draft).unwrap();
        alone.files_modified(&paths).unwrap();
        let is_met = alone.state("t") == Some(State::Ready);
        any |= is_met;
        let place = format!("t{i}");
        assert_eq!(joint.state(&place), alone.state("t"), "{pattern:?}");
        assert_eq!(one_by_one.state(&place), alone.state("t"), "{pattern:?}");
        if pattern.contains(['[', ']', '{', '}', '\\']) {
            continue;
        }
        let told = paths.iter().any(|path| matches(pattern, path));
        assert_eq!(is_met, told, "{pattern:?} {paths:?}");
    }
    if let Some(state) = joint.state("all") {
        assert_eq!(state == State::Ready, any);
    }
}

fn segments(text: &str) -> Vec<&str> {
    let segments = text.split('/');
    segments.filter(|text| !matches!(*text, "" | ".")).collect()
}

/// Whether a path matches a pattern without classes, alternatives and escapes, as the
/// documentation says.
pub fn matches(pattern: &str, path: &str) -> bool {
    let pattern = pattern.trim();
    let path = segments(path);
    if path.is_empty() {
        return false;
    }
    if pattern.is_empty() {
        return true;
    }
    match pattern.contains('/') {
        true => is_whole(pattern, &path),
        false => (1..=path.len()).any(|length| is_whole(pattern, &path[..length])),
    }
}

fn is_whole(pattern: &str, path: &[&str]) -> bool {
    let mut parts = segments(pattern);
    let is_anchored = pattern.contains('/');
    if is_anchored && matches!(pattern.split('/').next_back(), Some("" | ".")) {
        parts.push("**");
    }
    if !is_anchored {
        parts.insert(0, "**");
    }
    let mut tokens = Vec::new();
    for (i, part) in parts.iter().enumerate() {
        let is_last = i + 1 == parts.len();
        if part.len() > 1 && part.bytes().all(|byte| byte == b'*') {
            tokens.push(if is_last {
                Token::Below
            } else {
                Token::Folders
            });
            continue;
        }
        let mut rest = part.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            let stars = rest.iter().take_while(|&&byte| byte == b'*').count();
            rest = after;
            tokens.push(match (byte, stars) {
                (_, 2..) => {
                    rest = &after[stars - 1..];
                    Token::Anything
                }
                (_, 1) => Token::Star,
                (b'?', _) => Token::Byte,
                _ => Token::Is(byte),
            });
        }
        if !is_last {
            tokens.push(Token::Is(b'/'));
        }
    }
    accepts(&tokens, path.join("/").as_bytes())
}

#[derive(Clone, Copy)]
enum Token {
    Is(u8),
    /// Any byte but `/`.
    Byte,
    /// Any bytes but `/`.
    Star,
    /// Any bytes.
    Anything,
    /// Folders, each with its `/`.
    Folders,
    /// What is not empty.
    Below,
}

fn accepts(tokens: &[Token], path: &[u8]) -> bool {
    let n = path.len();
    let mut reached = vec![false; n + 1];
    reached[0] = true;
    for token in tokens {
        let mut next = vec![false; n + 1];
        for at in (0..=n).filter(|&at| reached[at]) {
            match token {
                Token::Is(byte) => {
                    if path.get(at) == Some(byte) {
                        next[at + 1] = true;
                    }
                }
                Token::Byte => {
                    if path.get(at).is_some_and(|&byte| byte != b'/') {
                        next[at + 1] = true;
                    }
                }
                Token::Star => {
                    next[at] = true;
                    for end in at..n {
                        if path[end] == b'/' {
                            break;
                        }
                        next[end + 1] = true;
                    }
                }
                Token::Anything => next[at..].fill(true),
                Token::Folders => {
                    next[at] = true;
                    for end in at..n {
                        next[end + 1] |= path[end] == b'/';
                    }
                }
                Token::Below => next[n] |= at < n,
            }
        }
        reached = next;
    }
    reached[n]
}
