//! For the framework author: a model that sees its last six messages only still works off a list of twelve tasks, doing
//! nothing twice (`examples/loop.rs`).

#[path = "../examples/loop.rs"]
#[allow(dead_code)]
mod conversation;

use agent_tasklist::store::block_on;

#[test]
fn a_model_that_forgets_its_messages_still_knows_its_list() {
    let mut out = Vec::new();
    let outcome = block_on(conversation::converse(
        &mut conversation::signals().unwrap(),
        &mut out,
    ))
    .unwrap();
    assert!(outcome.list.can_finish());
    assert_eq!(outcome.list.summary().completed, 12);
    assert_eq!(
        outcome.turns,
        1 + 2 * 12,
        "one to plan, two for each task: nothing is done twice"
    );
    assert!(outcome.dropped > 50, "{}", outcome.dropped);
    assert!(outcome.snapshots > 5 && outcome.deltas > 5);
    let text = String::from_utf8(out).unwrap();
    let plans = text.matches("task_write").count();
    assert_eq!(plans, 1, "the list is not written again");
}
