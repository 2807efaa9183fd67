//! The words of [`crate::args`] about recall, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "How well what was said long ago is found again: measure it",
        "오래전에 한 말을 얼마나 잘 다시 찾는지 재기",
    ),
    (
        "What would be put before a model for questions about conversations, one line of JSON for each question and budget",
        "대화에 대한 질문에 모델 앞에 놓일 글을, 질문과 예산마다 JSON 한 줄로 내기",
    ),
    (
        "Whether what is said in a project's conversations may go along in its others, and be looked up by agents that work in it",
        "프로젝트의 대화가 다른 대화에 함께 가도 되는지, 거기서 일하는 에이전트가 찾아봐도 되는지",
    ),
    (
        "Whether what was said in kept sessions of agents that worked in a project may go in its requests",
        "프로젝트에서 일한 에이전트의 보관한 세션에서 한 말이 그 프로젝트의 요청에 들어가도 되는지",
    ),
    ("Without one, what holds is told", "없으면 지금 어떤지 알려 줌"),
    ("They may", "됨"),
    ("They may not", "안 됨"),
    ("Conversations and questions as JSON", "대화와 질문이 담긴 JSON"),
    ("Names for lists of conversations, as JSON", "대화 목록의 이름이 담긴 JSON"),
    ("Only the conversations of this name", "이 이름의 대화만"),
    ("Tokens of a context; several with commas", "글의 토큰 수. 여럿이면 쉼표로"),
    (
        "Who makes vectors of messages, so that recall finds what was said in other words",
        "다른 말로 한 말도 찾도록 메시지의 벡터를 만드는 모델",
    ),
    (
        "Who makes them, how far that is, and which models lie in the data folder",
        "무엇이 만드는지, 얼마나 만들었는지, 데이터 폴더에 어떤 모델이 있는지 보기",
    ),
    (
        "The models of a provider that seem to make vectors",
        "제공자의 모델 가운데 벡터를 만드는 것으로 보이는 것",
    ),
    ("What an embedder would take; nothing is sent", "얼마나 드는지 보기. 아무것도 보내지 않음"),
    (
        "Choose one and make the vectors; those of an earlier one are forgotten",
        "골라서 벡터 만들기. 전에 고른 것의 벡터는 지움",
    ),
    (
        "Most tokens to send to another computer, in all; needed where texts leave this one",
        "다른 컴퓨터로 보낼 토큰의 한도. 글이 이 컴퓨터를 떠날 때 꼭 필요함",
    ),
    ("Make the vectors that are missing", "없는 벡터 만들기"),
    ("Forget all vectors and make them anew", "벡터를 모두 지우고 새로 만들기"),
    ("Make no more of them, here and in the window", "여기서도 창에서도 더 만들지 않기"),
    ("Choose nobody and forget all vectors", "고르지 않고 벡터를 모두 지우기"),
    (
        "A model in the data folder, or that comes with Siltstone",
        "데이터 폴더에 있거나 Siltstone과 함께 온 모델",
    ),
    (
        "With this model in the data folder, or that comes with Siltstone, for what is near in meaning",
        "데이터 폴더에 있거나 Siltstone과 함께 온 이 모델로 뜻이 가까운 것도 보기",
    ),
    ("A provider", "제공자"),
    ("The provider's model", "제공자의 모델"),
    ("How the conversation is told", "대화를 전하는 방식"),
];
