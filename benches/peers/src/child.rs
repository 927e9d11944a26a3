//! Measuring processes: each is a child with a time limit, and tells its measurements as JSON lines.

use crate::measure::Measurement;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Runs a measuring process to its end.
pub fn run(mut command: Command, limit: Duration) -> Result<Vec<Measurement>, String> {
    let name = format!("{command:?}");
    let failed = |what: &dyn std::fmt::Display| format!("{name}: {what}");
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failed(&error))?;
    let mut out = child.stdout.take().expect("its output is piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| failed(&error))? {
            break status;
        }
        if start.elapsed() > limit {
            child.kill().map_err(|error| failed(&error))?;
            child.wait().map_err(|error| failed(&error))?;
            return Err(failed(&format_args!("stopped after {limit:?}")));
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    if !status.success() {
        return Err(failed(&status));
    }
    let text = reader.join().expect("reading does not panic");
    let text = text.map_err(|error| failed(&error))?;
    let parse = |line: &str| {
        serde_json::from_str(line).map_err(|error| failed(&format_args!("{line:?}: {error}")))
    };
    text.lines().map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Operation;

    fn sh(script: &str, limit: Duration) -> Result<Vec<Measurement>, String> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, limit)
    }

    #[test]
    fn lines_are_read() {
        let line = r#"echo '{"operation":"update","tasks":10,"micros":1.5,"calls":3}'"#;
        let measured = sh(line, Duration::from_secs(10)).unwrap();
        assert_eq!(measured.len(), 1);
        assert_eq!(measured[0].operation, Operation::Update);
        assert_eq!(measured[0].micros, 1.5);
    }

    #[test]
    fn failures_and_hangs_are_told() {
        assert!(sh("echo nonsense", Duration::from_secs(10)).is_err());
        assert!(
            sh("exit 3", Duration::from_secs(10))
                .unwrap_err()
                .contains("3")
        );
        let hung = sh("exec sleep 60", Duration::from_millis(50)).unwrap_err();
        assert!(hung.ends_with("stopped after 50ms"), "{hung}");
    }
}
