//! Eight agents as processes: started, killed, stopped together and started again, and checked all along.

use crate::agent::{Agent, Report};
use crate::calls::release;
use crate::check::Checker;
use crate::in_process::{drain, told};
use crate::logged::{Log, Logged, key};
use crate::measure::{Series, on_disk, resident};
use crate::random::Random;
use crate::{Options, Outcome};
use agent_tasklist::store::{Store, block_on};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Calls that an agent may make before it asks again.
const LEAVE: u64 = 100;
/// Commits that may wait to be checked.
const BACKLOG: u64 = 300;
/// Stops of all agents in a run.
const STOPS: u64 = 4;
/// How long nothing may happen.
const STALLED: Duration = Duration::from_secs(120);

/// What a process said, or that it is gone.
struct Said {
    at: usize,
    life: u64,
    line: Option<String>,
}

/// One agent's process in one of its lives.
struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    life: u64,
    /// Calls that it may still make.
    leave: u64,
    asks: bool,
    killed: bool,
    gone: bool,
    resident: Series,
    number: u64,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Supervisor<'a> {
    options: &'a Options,
    names: Vec<String>,
    processes: Vec<Process>,
    /// Those that were just given leave.
    begun: Vec<usize>,
    lives: u64,
    said: Receiver<Said>,
    to_say: Sender<Said>,
    checker: Checker,
    log: Log,
    host: Agent,
    host_calls: u64,
    random: Random,
    conflicts_seen: u64,
    kills: u64,
    mid_call: u64,
    stops: u64,
    agents_resident: Series,
    /// The first agent is not killed alone: its lives are long enough to show a leak.
    longest: Vec<Series>,
    own_resident: Series,
    disk: Series,
}

pub fn run(options: &Options) -> Outcome<()> {
    let start = Instant::now();
    let (to_say, said) = channel();
    let host = Agent::new(options, "host", 0, false)?;
    let mut supervisor = Supervisor {
        options,
        names: options.names(),
        processes: Vec::new(),
        begun: Vec::new(),
        lives: 0,
        said,
        to_say,
        checker: Checker::new(options)?,
        log: Log::open(&options.file())?,
        host,
        host_calls: 0,
        random: Random::new(options.seed, "kills"),
        conflicts_seen: 0,
        kills: 0,
        mid_call: 0,
        stops: 0,
        agents_resident: Series::default(),
        longest: Vec::new(),
        own_resident: Series::default(),
        disk: Series::default(),
    };
    for at in 0..options.agents {
        let process = supervisor.start(at)?;
        supervisor.processes.push(process);
    }
    supervisor.watch(start)?;
    supervisor.finish(start)
}

impl Supervisor<'_> {
    fn start(&mut self, at: usize) -> Outcome<Process> {
        self.lives += 1;
        let (life, options) = (self.lives, self.options);
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["--agent", &self.names[at], &life.to_string()]);
        command.args(["--seed", &options.seed.to_string()]);
        command.args(["--agents", &options.agents.to_string()]);
        command.arg("--folder").arg(&options.folder);
        if let Some(kind) = &options.corrupt {
            command.args(["--corrupt", kind]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let stdin = child.stdin.take();
        let say = self.to_say.clone();
        thread::spawn(move || {
            for line in BufReader::new(out).lines() {
                let Ok(line) = line else { break };
                let line = Some(line);
                if say.send(Said { at, life, line }).is_err() {
                    return;
                }
            }
            let line = None;
            let _ = say.send(Said { at, life, line });
        });
        Ok(Process {
            child,
            stdin,
            life,
            leave: 0,
            asks: false,
            killed: false,
            gone: false,
            resident: Series::default(),
            number: 0,
        })
    }

    fn watch(&mut self, start: Instant) -> Outcome<()> {
        let mut kill_at = self.next_kill(start);
        let (mut sample_at, mut tell_at) = (start, start);
        let mut moved = (0, start);
        loop {
            let mut idle = true;
            while let Ok(said) = self.said.try_recv() {
                idle = false;
                self.hear(said)?;
            }
            let entries = self.log.after(self.checker.revision(), 100)?;
            for entry in &entries {
                idle = false;
                self.checker.commit(entry)?;
            }
            self.checker.settle()?;
            let (now, calls) = (Instant::now(), self.checker.counts.calls);
            if calls != moved.0 {
                moved = (calls, now);
            } else if now - moved.1 > STALLED {
                return Err("nothing has happened for two minutes".into());
            }
            if now >= sample_at {
                self.sample();
                sample_at = now + Duration::from_millis(500);
            }
            if now >= tell_at {
                self.tell(start);
                tell_at = now + Duration::from_secs(10);
            }
            if self.give_leave()? {
                return Ok(());
            }
            // Right after leave was given, agents are in their calls.
            let stop_at = (self.stops + 1) * self.options.calls / (STOPS + 1);
            if self.stops < STOPS && calls >= stop_at && !self.begun.is_empty() {
                self.stop_all()?;
            } else if self.options.kill_every > 0 && now >= kill_at && self.kill_one()? {
                kill_at = self.next_kill(now);
            }
            if idle {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn next_kill(&mut self, now: Instant) -> Instant {
        let mean = self.options.kill_every as usize;
        now + Duration::from_millis((mean / 2 + self.random.below(mean)) as u64)
    }

    fn hear(&mut self, said: Said) -> Outcome<()> {
        let process = &mut self.processes[said.at];
        if process.life != said.life {
            return Err("a process spoke after its end".into());
        }
        let name = self.names[said.at].clone();
        let Some(line) = said.line else {
            process.gone = true;
            let newest = self.log.newest()?;
            let (life, killed) = (process.life, process.killed);
            if !killed && !process.child.wait()?.success() {
                return Err(format!("{name} failed").into());
            }
            return self.checker.ended(&name, life, killed, newest);
        };
        if line == "more" {
            process.asks = true;
            return Ok(());
        }
        let report = match Report::from_line(&line) {
            Ok(report) => report,
            // A line that the kill cut.
            Err(_) if process.killed => return Ok(()),
            Err(error) => return Err(error),
        };
        process.number += 1;
        process.leave -= 1;
        self.conflicts_seen += report.conflicts;
        let who = (name, process.life, process.number);
        self.checker.report(who, report)
    }

    /// Lets those that ask go on. Says whether all calls were made.
    fn give_leave(&mut self) -> Outcome<bool> {
        let out: u64 = self.processes.iter().map(|process| process.leave).sum();
        let calls = self.checker.counts.calls + self.checker.waiting() as u64;
        let mut left = self.options.calls.saturating_sub(calls + out);
        let behind = self.log.newest()? - self.checker.revision();
        if left == 0 && out == 0 && behind == 0 && self.checker.waiting() == 0 {
            return Ok(true);
        }
        self.begun.clear();
        if behind > BACKLOG {
            return Ok(false);
        }
        for (at, process) in self.processes.iter_mut().enumerate() {
            let leave = left.min(LEAVE);
            if !process.asks || leave == 0 {
                continue;
            }
            let Some(stdin) = &mut process.stdin else {
                continue;
            };
            process.asks = false;
            process.leave = leave;
            self.begun.push(at);
            left -= leave;
            stdin.write_all(format!("{leave}\n").as_bytes())?;
        }
        Ok(false)
    }

    /// Kills an agent that is in a call, frees its tasks and starts it again.
    fn kill_one(&mut self) -> Outcome<bool> {
        let begun = self.begun.iter().copied().filter(|&at| at != 0);
        let begun: Vec<usize> = begun.collect();
        let Some(&at) = self.random.pick(&begun) else {
            return Ok(false);
        };
        self.kill(&[at])?;
        self.release(at)?;
        self.processes[at] = self.start(at)?;
        Ok(true)
    }

    /// Kills these, and hears what they said before.
    fn kill(&mut self, these: &[usize]) -> Outcome<()> {
        thread::sleep(Duration::from_micros(self.random.below(6000) as u64));
        for &at in these {
            let process = &mut self.processes[at];
            process.killed = true;
            process.child.kill()?;
            process.child.wait()?;
            self.kills += 1;
        }
        self.hear_out(these)?;
        for &at in these {
            self.mid_call += u64::from(self.processes[at].leave > 0);
        }
        Ok(())
    }

    fn hear_out(&mut self, these: &[usize]) -> Outcome<()> {
        while these.iter().any(|&at| !self.processes[at].gone) {
            let said = self.said.recv_timeout(STALLED)?;
            self.hear(said)?;
        }
        Ok(())
    }

    /// Gives the tasks of an agent back.
    fn release(&mut self, at: usize) -> Outcome<()> {
        let call = release(&self.names[at]);
        let report = block_on(self.host.make(call))?;
        self.host_calls += 1;
        self.checker
            .report(("host".to_owned(), 0, self.host_calls), report)
    }

    /// Stops all, by turns with a kill and in order, and starts again from the file.
    fn stop_all(&mut self) -> Outcome<()> {
        let all: Vec<usize> = (0..self.processes.len()).collect();
        self.stops += 1;
        if self.stops.is_multiple_of(2) {
            self.kill(&all)?;
        } else {
            for process in &mut self.processes {
                process.stdin = None;
            }
            self.hear_out(&all)?;
        }
        self.longest
            .push(std::mem::take(&mut self.processes[0].resident));
        self.log = Log::open(&self.options.file())?;
        drain(&mut self.log, &mut self.checker)?;
        let integrity = self.log.integrity()?;
        if integrity != "ok" {
            return Err(format!("SQLite says of the file: {integrity}").into());
        }
        let store = Logged::open(&self.options.file(), false, None)?;
        let stored = block_on(store.load(&key()))?.ok_or("the list is gone")?;
        if stored.list != *self.checker.list() || stored.revision.get() != self.checker.revision() {
            return Err("after a restart the list is another".into());
        }
        for at in all {
            self.release(at)?;
            self.processes[at] = self.start(at)?;
        }
        Ok(())
    }

    fn sample(&mut self) {
        let mut most = 0;
        for process in &mut self.processes {
            if let Some(figure) = resident(process.child.id()).filter(|_| process.number > 100) {
                process.resident.add(figure);
                most = most.max(figure);
            }
        }
        if most > 0 {
            self.agents_resident.add(most);
        }
        self.own_resident
            .add(resident(std::process::id()).unwrap_or_default());
        self.disk.add(on_disk(self.options));
    }

    fn tell(&self, start: Instant) {
        let counts = &self.checker.counts;
        eprintln!(
            "{:6.0} s  {} calls, revision {}, {} tasks, {} conflicts, {} kills, {} stops",
            start.elapsed().as_secs_f64(),
            counts.calls,
            self.checker.revision(),
            self.checker.list().len(),
            counts.conflicts,
            self.kills,
            self.stops,
        );
    }

    fn finish(&mut self, start: Instant) -> Outcome<()> {
        let all: Vec<usize> = (0..self.processes.len()).collect();
        for process in &mut self.processes {
            process.stdin = None;
        }
        self.hear_out(&all)?;
        drain(&mut self.log, &mut self.checker)?;
        self.checker.finish()?;
        let integrity = self.log.integrity()?;
        let newest = self.log.newest()?;
        self.longest
            .push(std::mem::take(&mut self.processes[0].resident));
        let counts = &self.checker.counts;
        println!("{}", told(counts));
        println!(
            "{} processes killed, {} of them in a call; {} commits whose agent was killed before it could tell\n\
             {} stops of all, the list read back each time; SQLite says of the file: {integrity}",
            self.kills, self.mid_call, counts.unacknowledged, self.stops
        );
        println!(
            "{:.0} s, {:.0} calls a second, seed {}, revision {newest}, digest {:016x}",
            start.elapsed().as_secs_f64(),
            counts.calls as f64 / start.elapsed().as_secs_f64(),
            self.options.seed,
            self.checker.digest,
        );
        println!("memory of the largest agent: {}", self.agents_resident);
        for life in &self.longest {
            println!("memory of one agent from stop to stop: {life}");
        }
        println!("memory of the checker: {}", self.own_resident);
        println!("database: {}", self.disk);
        let series = [&self.agents_resident, &self.own_resident, &self.disk];
        let mut series = series.into_iter().chain(&self.longest);
        match integrity == "ok" && series.all(|series| series.is_flat() != Some(false)) {
            true => Ok(()),
            false => Err("memory or disk grows".into()),
        }
    }
}
