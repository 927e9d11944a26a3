//! Many processes, one list, on the PostgreSQL that you run already.
//!
//! ```text
//! ./with-postgres cargo run --release --bin workers -- --workers 8 --tasks 400 --kill 2
//! ```

#[path = "../../../support/workers.rs"]
mod workers;

use store_postgres::PostgresStore;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = workers::Options::read("STORE_POSTGRES_URL")?;
    let store = PostgresStore::connect(&options.url).await?;
    match &options.worker {
        Some(worker) => workers::work(&store, worker).await,
        None => workers::run(&store, &options).await,
    }
}
