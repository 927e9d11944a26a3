//! Lists whose texts try to pass for something else.

use agent_tasklist::policy::{Dependencies, InProgress};
use agent_tasklist::{Activation, Policy, Status, TaskDraft, TaskList};
use proptest::prelude::*;

pub(crate) const STATUSES: [Status; 3] = [Status::Pending, Status::InProgress, Status::Completed];

/// A policy that lets random lists be anything.
pub(crate) fn anything_goes() -> Policy {
    let mut policy = Policy::default();
    policy.in_progress = InProgress::Unlimited;
    policy.dependencies = Dependencies::Advise;
    policy
}

/// A text of parts that some format takes for its own.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "\\PC{1,6}",
        "(?s).{1,3}",
        prop::sample::select(vec![
            "\n",
            "\r\n",
            "\u{2028}",
            "```",
            "\"",
            "\\",
            "%%{init: x}%%",
            "</script>",
            "-->",
            "<!--",
            "{#i0}",
            "{after #i1}",
            "{id: i0}",
            "[x]",
            "- [ ] ",
            "`",
            "|",
            "_",
            "*",
            "&#10;",
            "&amp;",
            "#quot;",
            "]:::",
            " ",
            "\t",
            "\u{0}",
            "\u{202e}",
            "مرحبا",
            "🏳️‍🌈",
            "style x:#a;",
            "end",
            "</current-task-list>",
            "~",
            "$",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 1..6).prop_map(|parts| parts.concat())
}

/// Lists of up to eight tasks with hostile texts, ids, owners, patterns, statuses and dependencies.
pub(crate) fn any_list() -> impl Strategy<Value = TaskList> {
    let ids = prop_oneof![r"[a-z]{1,3}", r"[^/\\{}\p{C}\p{Zl}\p{Zp}]{1,9}"];
    let id = prop::option::of(ids);
    let task = (
        hostile(),
        id,
        0..3usize,
        prop::option::of(hostile()),
        prop::option::of(hostile()),
        prop::collection::vec(0..8usize, 0..3),
    );
    prop::collection::vec(task, 0..8).prop_map(|tasks| {
        let mut list = TaskList::new();
        list.set_policy(anything_goes());
        for (subject, id, status, owner, pattern, blockers) in tasks {
            let mut draft = TaskDraft::new(subject).status(STATUSES[status]);
            if let Some(id) = id {
                draft = draft.id(id);
            }
            if let Some(owner) = owner {
                draft = draft.owner(owner);
            }
            if let Some(Ok(activation)) =
                pattern.map(|pattern| Activation::files_modified([pattern]))
            {
                draft = draft.activation(activation);
            }
            let ids: Vec<String> = list.tasks().map(|task| task.id.to_string()).collect();
            let blockers = blockers.into_iter().filter_map(|n| ids.get(n).cloned());
            let _ = list.create(draft.blocked_by(blockers));
        }
        list
    })
}
