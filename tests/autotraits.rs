//! For the framework author: every public type can go to another thread, and a list in a debug log shows all of itself.

use agent_tasklist::change::*;
use agent_tasklist::error::*;
use agent_tasklist::policy::*;
use agent_tasklist::store::*;
use agent_tasklist::tools::*;
use agent_tasklist::*;

#[test]
fn public_types_can_go_to_another_thread() {
    fn check<T: Send + Sync + Unpin + std::panic::UnwindSafe + 'static>() {}
    check::<render::Checklist>();
    check::<render::Mode>();
    check::<render::Projector>();
    check::<render::Signal>();
    check::<render::Unread>();
    check::<Access>();
    check::<Activation>();
    check::<Dependencies>();
    check::<Changes>();
    check::<Claimed>();
    check::<Created>();
    check::<Demoted>();
    check::<Demotion>();
    check::<Detail>();
    check::<Dropped>();
    check::<DuplicateId>();
    check::<Edge>();
    check::<Edited>();
    check::<Effects>();
    check::<Error>();
    check::<Excess>();
    check::<Explanation>();
    check::<Facts>();
    check::<Field>();
    check::<Hints>();
    check::<InProgress>();
    check::<InvalidText>();
    check::<KnownIds>();
    check::<Limit>();
    check::<Limits>();
    check::<ListKey>();
    check::<LoadError>();
    check::<MemoryStore>();
    check::<Notes>();
    check::<PathStyle>();
    check::<Place>();
    check::<Policy>();
    check::<Problem>();
    check::<Rebound>();
    check::<Refusal>();
    check::<RefusalKind>();
    check::<Repair>();
    check::<RepairReason>();
    check::<Reply>();
    check::<ReplyData>();
    check::<RetiredTask>();
    check::<Revision>();
    check::<State>();
    check::<Status>();
    check::<Stored>();
    check::<Strictness>();
    check::<Summary>();
    check::<Updated>();
    check::<Violation>();
    check::<Task>();
    check::<TaskDraft>();
    check::<TaskId>();
    check::<TaskList>();
    check::<TaskPatch>();
    check::<TextKind>();
    check::<ToolSpec>();
    check::<Toolset>();
}

/// Sources of errors and trait objects may not be unwind-safe, and commits borrow.
#[test]
fn borrows_and_trait_objects_can_go_to_another_thread() {
    fn check<T: Send + Sync + ?Sized>() {}
    check::<ListTools<MemoryStore>>();
    check::<TaskSignals<MemoryStore>>();
    check::<Acting<'_>>();
    check::<Arguments<'_>>();
    check::<Tasks<'_>>();
    check::<Commit<'_>>();
    check::<StoreError>();
    check::<UpdateError>();
    check::<dyn Store>();
}

#[test]
fn debug_shows_the_whole_list() {
    let mut list = TaskList::new();
    list.create(TaskDraft::new("Build").id("build")).unwrap();
    list.create(TaskDraft::new("Ship").id("ship").blocked_by(["build"]))
        .unwrap();
    list.create(TaskDraft::new("Old").id("old")).unwrap();
    list.delete("old").unwrap();
    list.begin_run("run-1").unwrap();
    list.files_modified(["a.rs"]).unwrap();
    let shown = format!("{list:?}");
    for part in [
        "TaskList { tasks: {Task {",
        r#"subject: "Build""#,
        r#": ["build"]"#,
        r#"subject: "Old""#,
        r#""run-1""#,
        r#""a.rs""#,
        "policy: Policy {",
        "limits: Limits(",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
}
