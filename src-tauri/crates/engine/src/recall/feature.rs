//! The features of a message, by name: what each of the figures says that speak for it.

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// A feature.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Feature { $($(#[$doc])* $name,)* }

        impl Feature {
            /// All of them, in order.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Its name in the file of weights.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

features! {
    /// BM25 of its words.
    Words = "words",
    /// The share of the question's words it has, by what they tell.
    Coverage = "coverage",
    /// The rarest word it shares.
    Rarest = "rarest",
    /// BM25 of it together with the messages around it.
    Window = "window",
    /// BM25 of the message before.
    Before = "before",
    /// BM25 of the message after.
    After = "after",
    /// It answers a question that is like this one.
    Answers = "answers",
    /// It asks what is asked here, and an answer follows.
    Asks = "asks",
    /// BM25 of the best messages of its sitting.
    Session = "session",
    /// Words of the question stand close together.
    Near = "near",
    /// Words of the question stand in its order.
    Phrase = "phrase",
    /// Korean words begin alike.
    Beginnings = "beginnings",
    /// Words sound alike.
    Sounds = "sounds",
    /// Words mean the same.
    Alike = "alike",
    /// The same in the message before or after.
    AlikeAround = "alike_around",
    /// The share of the question's words that it meets in any way, by what they tell.
    Met = "met",
    /// The same, together with the messages before and after.
    MetAround = "met_around",
    /// The same of the question that it answers.
    MetBefore = "met_before",
    /// The same, together with some messages before and after, the less the further off.
    Topic = "topic",
    /// What it meets, beside what the best message does.
    HereBest = "here_best",
    /// The square of that, as the best is far above the others.
    HereFar = "here_far",
    /// The same with its neighbours.
    AroundBest = "around_best",
    /// The square of that.
    AroundFar = "around_far",
    /// The same with messages further off.
    TopicBest = "topic_best",
    /// The square of that.
    TopicFar = "topic_far",
    /// It looks like an answer, where it is much about the question.
    ShapeFar = "shape_far",
    /// What one of the two messages before meets.
    MetEarlier = "met_earlier",
    /// What the message after meets.
    MetAfter = "met_after",
    /// What the message two before or two after meets.
    MetBeyond = "met_beyond",
    /// What its sitting meets.
    Sitting = "sitting",
    /// What it meets, beside what the best message of its sitting does.
    SittingBest = "sitting_best",
    /// How much more it meets than the messages right before and after it, or less, beside what the best message does.
    Stands = "stands",
    /// The model said it, right after a question.
    Replies = "replies",
    /// The person said it, right after a question.
    Returns = "returns",
    /// The question names who said it.
    Named = "named",
    /// The question names somebody else.
    OtherNamed = "other_named",
    /// The question is after the person's own words, and it is.
    Mine = "mine",
    /// The question is after the model's words, and it is.
    Yours = "yours",
    /// The person said it.
    Person = "person",
    /// The model said it.
    Model = "model",
    /// It was said on a day that is asked for.
    OnDay = "on_day",
    /// It was said within two weeks after one.
    NearDay = "near_day",
    /// It was said at another time.
    OffDay = "off_day",
    /// How late it was said.
    Recency = "recency",
    /// How late, where the question is after what holds now.
    Newest = "newest",
    /// How early, where the question is after what held before.
    Oldest = "oldest",
    /// Its length.
    Length = "length",
    /// It is part of a message, the smaller the nearer to one.
    Part = "part",
    /// It is the first of several stretches.
    Opens = "opens",
    /// It is the last of several.
    Closes = "closes",
    /// What its message meets, beside what the best message does.
    Whole = "whole",
    /// The share of the question's words that its message meets.
    WholeMet = "whole_met",
    /// How far it stands out as near in meaning.
    Meant = "meant",
    /// The same, beside the stretch that stands out furthest.
    MeantBest = "meant_best",
    /// The square of that.
    MeantFar = "meant_far",
    /// The same, where it meets words of the question too.
    MeantMet = "meant_met",
    /// How far the stretch before it stands out.
    MeantPrevious = "meant_previous",
    /// How far the stretch after it does.
    MeantNext = "meant_next",
    /// How far some stretches before and after do, the less the further off.
    MeantTopic = "meant_topic",
    /// How far it does, where it asks and an answer follows.
    MeantAsks = "meant_asks",
    /// How far the question stands out that it answers.
    MeantBefore = "meant_before",
    /// How far any stretch of its message does.
    MeantWhole = "meant_whole",
    /// It asks something.
    Question = "question",
    /// How many kinds of facts it has.
    Facts = "facts",
    /// It has a fact of a kind that could answer.
    Wanted = "wanted",
    /// It has a fact of such a kind, and shares words.
    WantedWords = "wanted_words",
    /// It has a figure of the unit that is asked for.
    Unit = "unit",
    /// The same, where it is about the question.
    UnitMet = "unit_met",
    /// It counts what is asked for.
    Counter = "counter",
    /// The same, where it is about the question.
    CounterMet = "counter_met",
    /// It names something of a kind that is asked for.
    Kind = "kind",
    /// The same, where it is about the question.
    KindMet = "kind_met",
    /// It looks like an answer of the kind that is asked for.
    Shape = "shape",
    /// The same, where it is about the question.
    ShapeMet = "shape_met",
    /// It gives a time where one is asked for.
    Time = "time",
    /// It gives a reason where one is asked for.
    Reason = "reason",
    /// It states a decision or a constraint.
    Statement = "statement",
    /// The model said it, where a person is asked for.
    ModelWho = "model_who",
    /// The model said it, where a cause is asked for.
    ModelCause = "model_cause",
    /// The model said it, where what to do is asked for.
    ModelHow = "model_how",
    /// The model said it, where code is asked for.
    ModelCode = "model_code",
    /// The model said it, where a name is asked for.
    ModelName = "model_name",
    /// The model said it, where an address is asked for.
    ModelAddress = "model_address",
    /// The model said it, where a place is asked for.
    ModelPlace = "model_place",
    /// The model said it, where a number is asked for.
    ModelNumber = "model_number",
    /// The model said it, where a version is asked for.
    ModelVersion = "model_version",
    /// The model said it, where a change is asked for.
    ModelChange = "model_change",
    /// The model said it, where what is not done is asked for.
    ModelRefusal = "model_refusal",
    /// The model said it, where an amount is asked for.
    ModelAmount = "model_amount",
    /// The model said it, where a list is asked for.
    ModelList = "model_list",
    /// The model said it, where a figure with a unit is asked for.
    ModelUnit = "model_unit",
    /// The model said it, where a time is asked for.
    ModelWhen = "model_when",
    /// The model said it, where a reason is asked for.
    ModelWhy = "model_why",
    /// The model said it, where what holds now is asked for.
    ModelNewest = "model_newest",
    /// The model said it, where what is counted is asked for.
    ModelCounter = "model_counter",
}

pub(super) const COUNT: usize = Feature::ALL.len();

/// The figures of a message, by [`Feature`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features(pub [f32; COUNT]);

impl Features {
    /// One of them.
    pub fn of(&self, feature: Feature) -> f32 {
        self.0[feature as usize]
    }

    /// What a stretch with these is worth.
    pub(super) fn score(&self, weights: &[f32]) -> f32 {
        weights.iter().zip(&self.0).map(|(weight, value)| weight * value).sum()
    }

    pub(super) fn set(&mut self, feature: Feature, value: f32) {
        self.0[feature as usize] = value;
    }
}
