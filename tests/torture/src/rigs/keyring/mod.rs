//! The system's keyring in eight states (safety.md, R19 and G18): history opens in each of them, asking says in words why it
//! cannot, a key that is not kept can be kept elsewhere, no key is written in plain anywhere, and nothing waits for ever.
//!
//! The keyring is the real gnome-keyring on a bus of its own: open, closed, stopped, slowed, emptied, replaced by another;
//! only one that refuses is made here, because that one does not.

mod refusing;
mod scene;
mod session;

use crate::chance::Chance;
use crate::{Options, Outcome, Trouble};

use refusing::Stage;
use scene::{Scene, Slow};

/// What a keyring may be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unlocked,
    Locked,
    Absent,
    Hanging,
    Refusing(Stage),
    Gone(Gone),
    Changed(Changed),
    Slow,
}

/// What another program did to the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gone {
    Deleted,
    Replaced,
    /// By what is no key: no text, or more than a word.
    Spoilt(&'static [u8]),
}

/// What took the place of the keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    /// One that knows nothing.
    Another,
    /// The same, with the earlier one beside it, closed: whoever asks it would open a dialog.
    BesideTheOld,
}

/// How each state looks in this round.
fn states(chance: &mut Chance) -> [State; 8] {
    let stages = [Stage::Session, Stage::Everything, Stage::Keeping, Stage::Dialog];
    let gone = [
        Gone::Deleted,
        Gone::Replaced,
        Gone::Spoilt(b"\xff\xfe\x00"),
        Gone::Spoilt(b"one line\nanother: line"),
    ];
    let changed = [Changed::Another, Changed::BesideTheOld];
    [
        State::Unlocked,
        State::Locked,
        State::Absent,
        State::Hanging,
        State::Refusing(*chance.pick(&stages).unwrap_or(&Stage::Keeping)),
        State::Gone(*chance.pick(&gone).unwrap_or(&Gone::Deleted)),
        State::Changed(*chance.pick(&changed).unwrap_or(&Changed::BesideTheOld)),
        State::Slow,
    ]
}

impl State {
    /// The codes with which a question may fail; none where it has to be answered.
    fn asking(self) -> &'static [&'static str] {
        match self {
            Self::Unlocked | Self::Gone(Gone::Replaced) => &[],
            Self::Locked => &["keyring_locked"],
            Self::Absent | Self::Refusing(Stage::Session) => &["keyring_absent"],
            Self::Hanging | Self::Slow => &["keyring_timed_out"],
            Self::Refusing(Stage::Everything) => &["keyring_refused"],
            Self::Refusing(_) | Self::Gone(_) | Self::Changed(_) => &["key_missing"],
        }
    }

    /// The codes with which keeping a key may fail; none where it has to be kept.
    fn keeping(self) -> &'static [&'static str] {
        match self {
            Self::Unlocked | Self::Gone(_) | Self::Changed(_) => &[],
            Self::Refusing(Stage::Keeping | Stage::Dialog) => &["keyring_refused"],
            other => other.asking(),
        }
    }

    /// Whether the first key is there again when the first keyring is.
    fn passes(self) -> bool {
        !matches!(self, Self::Unlocked | Self::Gone(_))
    }
}

/// Runs it.
pub fn run(options: &Options) -> Result<Outcome, Trouble> {
    let mut outcome = Outcome::default();
    let mut chance = options.chance("keyring");
    // Each round has each state once, in one of its forms; a sample has two that follow each other.
    for _ in 0..options.count(1, 4) {
        let states = states(&mut chance);
        let first = if options.is_sample() { chance.index(states.len()) } else { 0 };
        let many = if options.is_sample() { 2 } else { states.len() };
        for state in states.iter().cycle().skip(first).take(many) {
            outcome.count("states", 1);
            live_through(*state, options, &mut chance, &mut outcome)
                .map_err(|trouble| format!("{state:?}: {trouble}"))?;
        }
    }
    Ok(outcome)
}

fn live_through(
    state: State,
    options: &Options,
    chance: &mut Chance,
    outcome: &mut Outcome,
) -> Result<(), Trouble> {
    let mut scene = Scene::set(format!("{state:?}"), chance)?;
    let slow = enter(state, &mut scene)?;
    scene.history(outcome)?;
    let sent = match state {
        State::Gone(Gone::Replaced) => scene.replaced(),
        _ => scene.key(0),
    };
    // A keyring that is only slow may be quick enough.
    let may_do = state == State::Slow;
    scene.ask(&[], state.asking(), may_do, &[sent], outcome)?;
    let kept = scene.keep(1, state.keeping(), may_do, outcome)?;
    if kept {
        let codes = if may_do { state.asking() } else { &[] };
        scene.ask(&[], codes, may_do, &[scene.key(1)], outcome)?;
    }
    drop(slow);
    if state.passes() {
        pass(state, &mut scene)?;
        // The first keyring has lost nothing by all that; what was given up on while it was slow may have been done.
        let mut there = vec![scene.key(0)];
        if may_do {
            there.push(scene.key(1));
        }
        scene.ask(&[], &[], false, &there, outcome)?;
    }
    // A sample waits for a keyring that hangs twice and no more.
    if !kept && (state != State::Hanging || !options.is_sample()) {
        let slow = enter(state, &mut scene)?;
        scene.keep_in_the_file(2, outcome)?;
        scene.ask(&scene.passphrase(), &[], false, &[scene.key(2)], outcome)?;
        drop(slow);
    }
    scene.history(outcome)?;
    scene.sweep(outcome);
    Ok(())
}

/// Makes the keyring what it is in this state. What slows it down does so until it is dropped.
fn enter(state: State, scene: &mut Scene) -> Result<Option<Slow>, Trouble> {
    match state {
        State::Unlocked => {}
        State::Locked => scene.session.lock()?,
        State::Absent => scene.session.leave()?,
        State::Hanging => scene.session.signal("STOP")?,
        State::Refusing(stage) => scene.session.refuse(stage)?,
        State::Gone(how) => {
            let replaced = scene.replaced();
            let bytes = match how {
                Gone::Deleted => None,
                Gone::Replaced => Some(replaced.as_bytes()),
                Gone::Spoilt(bytes) => Some(bytes),
            };
            if scene.session.meddle(bytes)? != 1 {
                return Err("the key is not in the keyring once".into());
            }
        }
        State::Changed(how) => {
            if how == Changed::BesideTheOld {
                scene.session.lay_beside("home", "another")?;
            }
            scene.session.open("another")?;
        }
        State::Slow => return scene.slowed().map(Some),
    }
    Ok(None)
}

/// Makes it again what it was at first.
fn pass(state: State, scene: &mut Scene) -> Result<(), Trouble> {
    match state {
        State::Hanging => scene.session.signal("CONT"),
        State::Slow => Ok(()),
        _ => scene.session.open("home"),
    }
}
