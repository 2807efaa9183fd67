//! Every rig, in one list. A rig is a function that tries something many times and counts how often it failed.

mod corruption;
mod fuzz;
mod injection;
mod processes;
mod secrets;
mod streams;
mod strikes;
mod upgrade;

mod clock;
mod egress;
mod endings;
mod guards;
mod keyring;
mod properties;
pub mod reach;
mod readonly;
mod requests;
mod scale;

use crate::{Options, Outcome, Trouble};

/// A rig.
#[derive(Debug)]
pub struct Rig {
    /// What it is called on the command line and in the table.
    pub name: &'static str,
    /// The goals that it shows, by their numbers.
    pub goal: &'static str,
    /// What it tries and what would be a failure, in one sentence.
    pub what: &'static str,
    /// Whether `make test` runs a sample of it.
    pub sampled: bool,
    /// Tries it.
    pub run: fn(&Options) -> Result<Outcome, Trouble>,
}

/// All of them, in the order of the table. A new rig is one module and one row here.
pub const RIGS: &[Rig] = &[
    Rig {
        name: "kill",
        goal: "G8",
        what: "`silt` killed before and within each call that changes the disk: nothing acknowledged is lost, nothing half",
        sampled: true,
        run: strikes::kill,
    },
    Rig {
        name: "power",
        goal: "G9",
        what: "the power cut at each such call: what was not pressed onto the disk is gone, or a random half of it",
        sampled: true,
        run: strikes::power,
    },
    Rig {
        name: "faults",
        goal: "G11",
        what: "each such call short or failing, once and for good: no damage, no silent success, and it can be done again",
        sampled: true,
        run: strikes::faults,
    },
    Rig {
        name: "upgrade",
        goal: "G14",
        what: "a filled database of every released schema, opened, killed and cut at each call: each row as it was; a newer one refused",
        sampled: true,
        run: upgrade::run,
    },
    Rig {
        name: "processes",
        goal: "G12",
        what: "four programs at a time on one data folder: whatever one of them was told is done is there",
        sampled: true,
        run: processes::run,
    },
    Rig {
        name: "corruption",
        goal: "G15",
        what: "damaged, cut off and foreign databases and packs: no crash, no hang, nothing written over, never silently anew",
        sampled: true,
        run: corruption::run,
    },
    Rig {
        name: "streams",
        goal: "G13",
        what: "broken answers of every wire format: no panic, nothing shown is lost, no tool runs that was not called to its end",
        sampled: true,
        run: streams::run,
    },
    Rig {
        name: "secrets",
        goal: "G5",
        what: "made-up secrets are found and ordinary text is not taken for one; a key in use is seen nowhere, in no coat",
        sampled: true,
        run: secrets::run,
    },
    Rig {
        name: "injection",
        goal: "G17",
        what: "a model that obeys every text it reads: no memory, no file, no decision changes; no text forges a key or a turn",
        sampled: true,
        run: injection::run,
    },
    Rig {
        name: "fuzz",
        goal: "G16",
        what: "mutated inputs for everything that reads what others wrote: no panic, no broken law, none that is stuck",
        sampled: true,
        run: fuzz::run,
    },
    Rig {
        name: "keyring",
        goal: "G18",
        what: "a keyring in eight states, through `silt`: history opens, words say what to do, no key in plain, nothing hangs",
        sampled: true,
        run: keyring::run,
    },
    Rig {
        name: "egress",
        goal: "G19",
        what: "a whole run of `silt`, watched at the system calls, speaks to the connected provider and to nobody else",
        sampled: true,
        run: egress::run,
    },
    Rig {
        name: "endings",
        goal: "G8",
        what: "told to end, put to sleep, short of memory: what was shown is there, and everything opens",
        sampled: true,
        run: endings::run,
    },
    Rig {
        name: "scale",
        goal: "G20",
        what: "a folder of a million files opens within two seconds",
        sampled: true,
        run: scale::run,
    },
    Rig {
        name: "clock",
        goal: "R15",
        what: "jumps of the clock between and within calls of `silt`: order stays, nothing young goes, nothing is stolen",
        sampled: true,
        run: clock::run,
    },
    Rig {
        name: "readonly",
        goal: "R11",
        what: "a data folder and a project that cannot be written: everything is read, every write is refused in words",
        sampled: true,
        run: readonly::run,
    },
    Rig {
        name: "derivation",
        goal: "G2 G3",
        what: "random states: every number and word about the next request is of the one that leaves, to the byte",
        sampled: true,
        run: requests::derivation,
    },
    Rig {
        name: "canary",
        goal: "G3",
        what: "what is in the trash, deleted, refused, failed or another's is in no later request, and deleted in no file",
        sampled: true,
        run: requests::canary,
    },
    Rig {
        name: "consent",
        goal: "G6",
        what: "random arguments of calls: what the person is asked about is what the server gets, to the last digit and letter",
        sampled: true,
        run: requests::consent,
    },
    Rig {
        name: "unasked",
        goal: "G10",
        what: "an agent that writes, moves and deletes with leave and without: all of it is shown as what it is, and goes back whole",
        sampled: true,
        run: requests::unasked,
    },
    Rig {
        name: "proposed",
        goal: "G17",
        what: "poisoned lines that agents propose for memory: none is in a request or a file unless it was accepted",
        sampled: true,
        run: requests::proposed,
    },
    Rig {
        name: "reach",
        goal: "G7",
        what: "a hostile command as an ordinary user: nothing it tries outside of what was agreed succeeds, and outside of its view it does",
        sampled: true,
        run: reach::run,
    },
    Rig {
        name: "properties",
        goal: "G6 G7 G10",
        what: "every property test with cases that were never drawn before, and many more of them than `make test` draws",
        sampled: false,
        run: properties::run,
    },
    Rig {
        name: "guards",
        goal: "G1 G4 G5 G9 G10",
        what: "five guards taken out, one at a time: the test that watches over each fails",
        sampled: false,
        run: guards::run,
    },
];

/// The rig of this name.
pub fn named(name: &str) -> Option<&'static Rig> {
    RIGS.iter().find(|rig| rig.name == name)
}
