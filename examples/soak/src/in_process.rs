//! All agents in one process, in an order that follows from the seed.
//!
//! Between the load of a call and its commit others have turns, so that there are conflicts; a call that
//! is killed is dropped there.

use crate::agent::{Agent, Report};
use crate::calls::release;
use crate::check::{Checker, Counts};
use crate::logged::{Log, Logged, key};
use crate::random::Random;
use crate::{Options, Outcome};
use agent_tasklist::store::{Store, block_on};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

type Calling = Pin<Box<dyn Future<Output = Outcome<Report>>>>;

/// An agent, and the call that it is in.
struct Seat {
    agent: Agent,
    calling: Option<Calling>,
    number: u64,
}

/// Calls between two stops of all agents.
const TOGETHER: u64 = 5000;

pub fn run(options: &Options) -> Outcome<()> {
    let mut checker = Checker::new(options)?;
    let mut random = Random::new(options.seed, "order");
    let mut life = 0;
    let sit = |life: u64| -> Outcome<Vec<Seat>> {
        let agents = options.names().into_iter();
        agents
            .map(|name| {
                Ok(Seat {
                    agent: Agent::new(options, &name, life, true)?,
                    calling: None,
                    number: 0,
                })
            })
            .collect()
    };
    let mut seats = sit(life)?;
    let mut host = Agent::new(options, "host", 0, false)?;
    let mut host_calls = 0;
    let mut log = Log::open(&options.file())?;
    let (mut kills, mut restarts, mut done) = (0_u64, 0_u64, 0_u64);
    while done < options.calls {
        if done / TOGETHER > restarts {
            restarts += 1;
            life += 1;
            seats.clear();
            seats = sit(life)?;
            drain(&mut log, &mut checker)?;
            let store = Logged::open(&options.file(), false, None)?;
            let stored = block_on(store.load(&key()))?;
            if stored.is_none_or(|stored| stored.list != *checker.list()) {
                return Err("after a restart the list is another".into());
            }
        }
        let at = random.below(seats.len());
        let seat = &mut seats[at];
        let calling = seat
            .calling
            .get_or_insert_with(|| Box::pin(seat.agent.next()));
        let polled = calling
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        match polled {
            Poll::Ready(report) => {
                seat.calling = None;
                seat.number += 1;
                let name = seat.agent.name.clone();
                checker.report((name, seat.agent.life, seat.number), report?)?;
                done += 1;
            }
            Poll::Pending if random.below(400) == 0 => {
                kills += 1;
                life += 1;
                let name = seat.agent.name.clone();
                *seat = Seat {
                    agent: Agent::new(options, &name, life, true)?,
                    calling: None,
                    number: 0,
                };
                host_calls += 1;
                let report = block_on(host.make(release(&name)))?;
                checker.report(("host".to_owned(), 0, host_calls), report)?;
                done += 1;
            }
            Poll::Pending => {}
        }
        if done.is_multiple_of(50) {
            drain(&mut log, &mut checker)?;
        }
    }
    seats.clear();
    drain(&mut log, &mut checker)?;
    checker.finish()?;
    let counts = &checker.counts;
    println!("{}", told(counts));
    println!(
        "{kills} calls dropped half-way, {restarts} restarts of all\ndigest {:016x}",
        checker.digest
    );
    Ok(())
}

/// Checks all that is in the log.
pub fn drain(log: &mut Log, checker: &mut Checker) -> Outcome<()> {
    loop {
        let entries = log.after(checker.revision(), 200)?;
        for entry in &entries {
            checker.commit(entry)?;
        }
        if entries.is_empty() {
            return Ok(());
        }
    }
}

/// The figures of a run.
pub fn told(counts: &Counts) -> String {
    let Counts {
        calls,
        accepted,
        unchanged,
        refused,
        ..
    } = counts;
    let mut text = format!(
        "{calls} calls: {accepted} accepted, {unchanged} without change, {refused} refused \
         ({} sloppy, {} not to be understood); up to {} tasks\n\
         {} conflicts, each tried again\n\
         {} calls compared with the model, {} lists in all answers; {} reports too late to compare\n",
        counts.sloppy,
        counts.bad,
        counts.tasks,
        counts.conflicts,
        counts.compared,
        counts.answered,
        counts.late,
    );
    for (tool, [accepted, unchanged, refused]) in &counts.tools {
        text += &format!("  {tool:14} {accepted:8} {unchanged:8} {refused:8}\n");
    }
    text.truncate(text.trim_end().len());
    text
}
