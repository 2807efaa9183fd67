//! `siltstone-torture RIG…|all [--seed N] [--scale N] [--minutes N] [--sample] [--json]`: runs rigs and writes their rows into
//! docs/proof.md. Without a rig it lists them. The exit code is 1 when anything failed.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use siltstone_torture::rigs::{RIGS, Rig, named, reach};
use siltstone_torture::{Options, Ran, Scale, Trouble, proof, run};

struct Asked {
    rigs: Vec<&'static Rig>,
    options: Options,
    json: bool,
}

fn main() -> ExitCode {
    // The rig `reach` starts this program once more, as somebody else.
    if std::env::args().nth(1).is_some_and(|word| word == "as-an-ordinary-user") {
        return match reach::as_told() {
            Ok(said) => {
                say(&mut std::io::stdout(), &said);
                ExitCode::SUCCESS
            }
            Err(trouble) => {
                say(&mut std::io::stderr(), &format!("torture: {trouble}"));
                ExitCode::from(2)
            }
        };
    }
    let done = parse(std::env::args().skip(1)).and_then(|asked| torture(&asked));
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(trouble) => {
            say(&mut std::io::stderr(), &format!("torture: {trouble}"));
            ExitCode::from(2)
        }
    }
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Asked, Trouble> {
    let seed = u64::try_from(jiff::Timestamp::now().as_second())?;
    let mut asked = Asked {
        rigs: Vec::new(),
        options: Options { seed, scale: Scale::Whole(1), limit: None },
        json: false,
    };
    while let Some(arg) = args.next() {
        let mut number = || -> Result<u64, Trouble> {
            Ok(args.next().ok_or_else(|| format!("{arg} takes a number"))?.parse()?)
        };
        match arg.as_str() {
            "--seed" => asked.options.seed = number()?,
            "--scale" => asked.options.scale = Scale::Whole(number()?.max(1)),
            "--minutes" => {
                asked.options.limit = Some(Duration::from_secs(60 * number()?));
            }
            "--sample" => asked.options.scale = Scale::Sample,
            "--json" => asked.json = true,
            "all" => asked.rigs.extend(RIGS),
            name => asked.rigs.push(named(name).ok_or_else(|| format!("no rig {name}"))?),
        }
    }
    Ok(asked)
}

/// Runs what was asked for; whether nothing failed.
fn torture(asked: &Asked) -> Result<bool, Trouble> {
    let mut out = std::io::stdout();
    if asked.rigs.is_empty() {
        for rig in RIGS {
            say(&mut out, &format!("{:12} {:12} {}", rig.name, rig.goal, rig.what));
        }
        return Ok(true);
    }
    let mut whole = true;
    for rig in &asked.rigs {
        let ran = run(rig, &asked.options);
        whole &= ran.outcome.failures.is_empty();
        let row = proof::row(&ran, &asked.options);
        say(&mut out, if asked.json { json(&ran, &asked.options) } else { row.clone() }.as_str());
        for failure in &ran.outcome.failures {
            say(&mut std::io::stderr(), &format!("{}: {failure}", rig.name));
        }
        // One by one, so that a run that is cut off leaves what it came to.
        if !asked.options.is_sample() {
            proof::write(&[row])?;
        }
    }
    Ok(whole)
}

fn json(ran: &Ran, options: &Options) -> String {
    serde_json::json!({
        "goal": ran.rig.goal,
        "rig": ran.rig.name,
        "seed": options.seed,
        "counts": ran.outcome.counts,
        "failures": ran.outcome.failures,
        "seconds": ran.took.as_secs_f64(),
    })
    .to_string()
}

/// A closed pipe means nobody reads on.
fn say(to: &mut impl Write, line: &str) {
    let _ = writeln!(to, "{line}");
}
