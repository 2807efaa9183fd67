//! A sample of every rig in `make test`. The seed is the date's, so that each day tries other cases; `SILTSTONE_SEED`
//! tries those of one seed again.

use siltstone_torture::rigs::RIGS;
use siltstone_torture::{Options, Scale, run};

#[test]
fn no_rig_finds_anything_in_its_sample() {
    let today = jiff::Timestamp::now().strftime("%Y%m%d").to_string();
    let seed = std::env::var("SILTSTONE_SEED").unwrap_or(today).parse().unwrap();
    println!("SILTSTONE_SEED={seed}");
    let options = Options { seed, scale: Scale::Sample, limit: None };
    let mut failures = Vec::new();
    for rig in RIGS.iter().filter(|rig| rig.sampled) {
        let ran = run(rig, &options);
        println!("{}: {:?} in {:.1?}", rig.name, ran.outcome.counts, ran.took);
        let tried: u64 = ran.outcome.counts.values().sum();
        if tried == 0 {
            failures.push(format!("{}: tried nothing", rig.name));
        }
        failures.extend(ran.outcome.failures.iter().map(|one| format!("{}: {one}", rig.name)));
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
