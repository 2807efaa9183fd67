//! A mixed history of English, Korean and code, the same on every machine.

const ENGLISH: [&str; 12] = [
    "The ownership of a value moves when it is passed by value.",
    "A thread closure must own what it captures, so the compiler asks for move.",
    "Keep the public API stable and add a deprecation note first.",
    "The refresh token lives for thirty days and rotates at each use.",
    "Run the migration before the server starts, never while it serves.",
    "The port is 5433 on the staging machine.",
    "I would split the module along its doors and not along its types.",
    "The cache is keyed by path, size and modification time.",
    "We decided to keep one writer and several readers.",
    "A failing test is worth more than a long discussion.",
    "The window must stay responsive while a reply streams.",
    "Measure first, then cut the slowest part in half.",
];

const KOREAN: [&str; 12] = [
    "컴포넌트의 상태가 바뀌면 렌더링이 다시 일어납니다.",
    "데이터베이스 포트는 5433번으로 정했습니다.",
    "요약은 원문을 지우지 않고 위에 덮어 둡니다.",
    "체크포인트를 만들기 전에 변경된 파일만 저장합니다.",
    "토큰을 갱신하는 경로는 절대로 바꾸지 마세요.",
    "검색은 두 글자 단어도 빠짐없이 찾아야 합니다.",
    "이별과 사랑을 다룬 예문도 색인에 들어 있습니다.",
    "창을 닫아도 쓰던 글은 그대로 남아 있어요.",
    "설정 파일은 저장소의 맨 위에 있습니다.",
    "로컬 모델은 첫 응답까지 시간이 걸립니다.",
    "한 번에 하나의 요약만 진행하도록 했어요.",
    "오류가 나면 이유와 다음에 할 일을 알려 줍니다.",
];

const CODE: [&str; 6] = [
    "```rust\nfn main() {\n    let value = compute_total(42);\n}\n```",
    "useEffect(() => { refreshToken(); }, [sessionId]);",
    "impl Iterator for PathWalker { type Item = PathBuf; }",
    "SELECT id, title FROM conversations WHERE deleted_at IS NULL;",
    "cargo test -p siltstone-engine --locked",
    "const composerHeight = Math.min(scrollHeight, maxHeight);",
];

/// The text of message `index`: two or three sentences, with a number that only it has.
pub fn text(index: usize) -> String {
    let pick =
        |from: &[&str], step: usize| from[(index * step + index / 7) % from.len()].to_owned();
    let body = match index % 5 {
        0 => format!("{} {}", pick(&ENGLISH, 3), pick(&ENGLISH, 5)),
        1 | 2 => format!("{} {}", pick(&KOREAN, 5), pick(&KOREAN, 7)),
        3 => format!("{}\n\n{}", pick(&ENGLISH, 7), pick(&CODE, 1)),
        _ => format!("{} {}", pick(&KOREAN, 3), pick(&CODE, 5)),
    };
    format!("#T{index:06} {body}")
}
