//! The task tools as an MCP server over stdio. Standard output is for the protocol alone.

use agent_tasklist::store::{ListKey, MemoryStore, Store};
use agent_tasklist::tools::{ListTools, Toolset};
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use store_file::FileStore;
use store_sqlite::SqliteStore;
use with_rmcp::{TaskServer, serve_stdio};

const HELP: &str = "\
usage: with-rmcp [--tools TOOLS] [--key KEY] [--owner NAME] [--store STORE]

Serves a task list to an MCP client over standard input and output.

  --tools TOOLS   full (default), mastra or murmur
  --key KEY       which list of the store; default
  --owner NAME    on whose behalf: claims are NAME's, and the unfinished tasks of others are left alone
  --store STORE   memory (default), gone when the server ends; file:FOLDER; sqlite:FILE
  --help          this text";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("with-rmcp: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let Some(tools) = parse(args)? else {
        println!("{HELP}");
        return Ok(());
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve_stdio(TaskServer::new(tools)))
}

type Tools = ListTools<Arc<dyn Store>>;

/// The tools that the command line asks for; `None` where it asks for help.
fn parse(mut args: impl Iterator<Item = String>) -> Result<Option<Tools>, Box<dyn Error>> {
    let mut tools = Toolset::full();
    let (mut key, mut owner) = (ListKey::new("default")?, None);
    let mut store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    while let Some(option) = args.next() {
        if option == "--help" {
            return Ok(None);
        }
        let value = args.next();
        let value =
            value.ok_or_else(|| format!("{option} is not known or takes a value; see --help"))?;
        match (option.as_str(), value.as_str()) {
            ("--tools", "full") => tools = Toolset::full(),
            ("--tools", "mastra") => tools = Toolset::mastra(),
            ("--tools", "murmur") => tools = Toolset::murmur(),
            ("--tools", _) => {
                return Err(format!("--tools is full, mastra or murmur, not {value}").into());
            }
            ("--key", _) => key = ListKey::new(&value)?,
            ("--owner", _) => owner = Some(value),
            ("--store", _) => store = open(&value)?,
            _ => return Err(format!("there is no option {option}; see --help").into()),
        }
    }
    if let Some(owner) = owner {
        tools = tools.acting_as(owner)?;
    }
    Ok(Some(ListTools::new(store, key, tools)))
}

fn open(store: &str) -> Result<Arc<dyn Store>, Box<dyn Error>> {
    Ok(match store.split_once(':') {
        None if store == "memory" => Arc::new(MemoryStore::new()),
        Some(("file", folder)) if !folder.is_empty() => Arc::new(FileStore::new(folder)),
        Some(("sqlite", file)) if !file.is_empty() => Arc::new(SqliteStore::open(file)?),
        _ => {
            return Err(
                format!("--store is memory, file:FOLDER or sqlite:FILE, not {store}").into(),
            );
        }
    })
}
