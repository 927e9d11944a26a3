//! The quickstart's list as diagrams: Mermaid for Markdown pages, DOT for Graphviz.
//!
//! ```text
//! cargo run --example diagram              # Mermaid
//! cargo run --example diagram dot | dot -Tsvg > tasks.svg
//! ```

#[allow(dead_code)]
#[path = "quickstart.rs"]
mod quickstart;

use agent_tasklist::Error;
use agent_tasklist::render::{dot, mermaid};

/// What the example prints.
pub(crate) fn diagram(format: Option<&str>) -> Result<String, Error> {
    let list = quickstart::plan()?;
    Ok(match format {
        Some("dot") => dot(&list, None),
        _ => mermaid(&list, None),
    })
}

fn main() -> Result<(), Error> {
    print!("{}", diagram(std::env::args().nth(1).as_deref())?);
    Ok(())
}
