//! What the targets of `tests/fuzz` found, each as the least that shows it.

use agent_tasklist::{Activation, TaskDraft, TaskList};

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long where it is not optimised")]
fn patterns_that_do_not_compile_together_still_match_by_themselves() {
    let mut list = TaskList::new();
    for n in 0..128 {
        let pattern = "a**".repeat(16) + &"?".repeat(940) + &n.to_string();
        let activation = Activation::files_modified([pattern]).expect("it compiles by itself");
        let draft = TaskDraft::new("T").id(format!("t{n}"));
        list.create(draft.activation(activation)).unwrap();
    }
    let changes = list.files_modified(["something/else"]).unwrap();
    assert_eq!(changes.effects.woken, [""; 0]);
    let changes = list.files_modified(["a".repeat(1000) + "7"]).unwrap();
    assert_eq!(changes.effects.woken, ["t7"]);
}
