//! A small share of every rig in `make test`, each a test of its own: so much work and no more, and the same in every run.
//! `SILTSTONE_SEED` tries other cases, `make torture` all of them.

use crate::rigs::RIGS;
use crate::{Options, Scale, run};

/// What is drawn unless another seed is given; a run that fails can be had again as it was.
const SEED: u64 = 20_261_123;

fn sample(name: &str) {
    let given = std::env::var("SILTSTONE_SEED").ok();
    let seed = given.map_or(SEED, |seed| seed.parse().unwrap());
    let rig = RIGS.iter().find(|rig| rig.name == name).unwrap();
    let ran = run(rig, &Options { seed, scale: Scale::Sample, limit: None });
    println!("SILTSTONE_SEED={seed} {name}: {:?} in {:.1?}", ran.outcome.counts, ran.took);
    let failures = ran.outcome.failures;
    assert!(failures.is_empty(), "{name}: {failures:#?}");
    assert!(ran.outcome.counts.values().sum::<u64>() > 0, "{name} tried nothing");
}

macro_rules! samples {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            sample(stringify!($name));
        })*

        #[test]
        fn every_rig_that_is_sampled_has_a_test() {
            let sampled = RIGS.iter().filter(|rig| rig.sampled).map(|rig| rig.name);
            assert_eq!(sampled.collect::<Vec<_>>(), [$(stringify!($name)),*]);
        }
    };
}

samples! {
    kill power faults upgrade processes corruption streams secrets injection fuzz keyring egress endings scale clock readonly
    derivation canary consent unasked proposed reach
}
