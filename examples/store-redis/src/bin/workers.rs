//! Many processes, one list, on the Redis that you run already.
//!
//! ```text
//! ./with-redis cargo run --release --bin workers -- --workers 8 --tasks 400 --kill 2
//! ```

#[path = "../../../support/workers.rs"]
mod workers;

use store_redis::RedisStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = workers::Options::read("STORE_REDIS_URL")?;
    let store = RedisStore::open(&options.url)?;
    agent_tasklist::store::block_on(async {
        match &options.worker {
            Some(worker) => workers::work(&store, worker).await,
            None => workers::run(&store, &options).await,
        }
    })
}
