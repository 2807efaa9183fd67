//! Who tells what: a person says whom they asked and what it cost, a model how something is done and why. For each kind
//! of answer that a question wants, how likely it is the model's is learned apart. Where several people talk, nothing is
//! said of it.

use super::feature::{Feature, Features};
use super::question::Reading;
use super::shapes;
use crate::message::Role;

/// The feature of each shape, in their order.
const SHAPED: [Feature; shapes::COUNT] = [
    Feature::ModelWho,
    Feature::ModelCause,
    Feature::ModelHow,
    Feature::ModelCode,
    Feature::ModelName,
    Feature::ModelAddress,
    Feature::ModelPlace,
    Feature::ModelNumber,
    Feature::ModelVersion,
    Feature::ModelChange,
    Feature::ModelRefusal,
    Feature::ModelAmount,
    Feature::ModelList,
];

/// Sets which kinds of answers are asked for, where the model said it.
pub(super) fn tell(role: Option<Role>, reading: &Reading, features: &mut Features) {
    if role != Some(Role::Assistant) {
        return;
    }
    let shaped = SHAPED.iter().enumerate().map(|(at, it)| (*it, reading.shapes & (1 << at) != 0));
    let others = [
        (Feature::ModelUnit, reading.units != 0),
        (Feature::ModelWhen, reading.when),
        (Feature::ModelWhy, reading.why),
        (Feature::ModelNewest, reading.newest),
        (Feature::ModelCounter, reading.counts),
    ];
    let wanted = shaped.chain(others).filter(|(_, is)| *is);
    wanted.for_each(|(feature, _)| features.set(feature, 1.0));
}

#[cfg(test)]
mod tests {
    use super::super::Asked;
    use super::super::feature::COUNT;
    use super::*;
    use rstest::rstest;

    fn told(role: Option<Role>, question: &str) -> Vec<&'static str> {
        let reading = Reading::of(&Asked { text: question, today: None, meant: &[] });
        let mut features = Features([0.0; COUNT]);
        tell(role, &reading, &mut features);
        let set = Feature::ALL.iter().filter(|it| features.of(**it) != 0.0);
        set.map(|it| it.name()).collect()
    }

    #[rstest]
    #[case("누가 검수해?", &["model_who"])]
    #[case("그건 왜 뺐지?", &["model_cause", "model_why"])]
    #[case("where did we put it?", &["model_place"])]
    #[case("상자는 몇 그릇이야?", &["model_amount", "model_counter"])]
    #[case("잘 지내?", &[])]
    fn of_what_the_model_said_it_counts_what_is_asked_for(
        #[case] question: &str,
        #[case] expected: &[&str],
    ) {
        assert_eq!(told(Some(Role::Assistant), question), expected);
    }

    #[test]
    fn of_what_others_said_it_says_nothing() {
        for role in [None, Some(Role::User), Some(Role::Tool)] {
            assert_eq!(told(role, "누가 왜 몇 개를 뺐어?"), [""; 0], "{role:?}");
        }
    }
}
