//! Plays the conversation and prints it.

use agent_tasklist::store::{ListKey, MemoryStore, block_on};
use agent_tasklist::tools::{ListTools, Toolset};
use std::error::Error;
use with_rig::conversation;
use with_rig::scripted::ScriptedModel;

fn main() -> Result<(), Box<dyn Error>> {
    let tools = Toolset::full().acting_as("releaser").unwrap();
    let list = ListTools::new(MemoryStore::new(), ListKey::new("version-2")?, tools);
    let model = ScriptedModel::new(conversation::script());
    let outcome = block_on(conversation::run(&model, &list));
    print!("{}", conversation::transcript(&model.played()));
    outcome?;
    Ok(())
}
