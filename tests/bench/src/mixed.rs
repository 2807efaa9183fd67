//! A long mixed history whose words are as unevenly frequent as those of real talk: Korean with its particles, English,
//! and code, in short questions and long answers. The same on every machine.

/// Nouns and other words, the most frequent first.
const KOREAN: [&str; 72] = [
    "파일",
    "코드",
    "오류",
    "상태",
    "함수",
    "설정",
    "결과",
    "요청",
    "세션",
    "토큰",
    "서버",
    "데이터베이스",
    "컴포넌트",
    "메모리",
    "요약",
    "대화",
    "메시지",
    "모델",
    "프로젝트",
    "폴더",
    "경로",
    "검색",
    "색인",
    "체크포인트",
    "렌더링",
    "화면",
    "버튼",
    "창",
    "키보드",
    "마이그레이션",
    "트랜잭션",
    "스레드",
    "잠금",
    "캐시",
    "버전",
    "배포",
    "테스트",
    "빌드",
    "로그",
    "권한",
    "암호화",
    "백업",
    "복원",
    "동기화",
    "네트워크",
    "프록시",
    "응답",
    "스트림",
    "비용",
    "예산",
    "추정",
    "정규식",
    "문서",
    "번역",
    "글꼴",
    "색상",
    "접근성",
    "포커스",
    "단축키",
    "이벤트",
    "콜백",
    "비동기",
    "소유권",
    "수명",
    "매크로",
    "의존성",
    "라이선스",
    "저장소",
    "커밋",
    "브랜치",
    "충돌",
    "병합",
];

const PARTICLES: [&str; 12] =
    ["를", "은", "이", "에서", "의", "로", "에", "도", "까지", "와", "만", ""];

const VERBS: [&str; 24] = [
    "바꿨어요",
    "확인했습니다",
    "다시 시도합니다",
    "저장해야 해요",
    "읽을 수 없습니다",
    "기다립니다",
    "나눴어요",
    "지우지 않습니다",
    "계산합니다",
    "보여 줍니다",
    "고쳤습니다",
    "추가했어요",
    "옮겼습니다",
    "막았어요",
    "합쳤습니다",
    "비교합니다",
    "되돌립니다",
    "건너뜁니다",
    "알려 줍니다",
    "열었어요",
    "닫힙니다",
    "남겨 둡니다",
    "검토했어요",
    "미뤘습니다",
];

const ENGLISH: [&str; 72] = [
    "file",
    "error",
    "state",
    "request",
    "value",
    "token",
    "session",
    "server",
    "index",
    "message",
    "model",
    "project",
    "window",
    "memory",
    "summary",
    "search",
    "branch",
    "checkpoint",
    "folder",
    "path",
    "render",
    "component",
    "button",
    "keyboard",
    "migration",
    "transaction",
    "thread",
    "lock",
    "cache",
    "version",
    "release",
    "build",
    "journal",
    "permission",
    "cipher",
    "backup",
    "restore",
    "network",
    "proxy",
    "response",
    "stream",
    "cost",
    "budget",
    "estimate",
    "pattern",
    "document",
    "translation",
    "font",
    "colour",
    "contrast",
    "focus",
    "shortcut",
    "event",
    "callback",
    "ownership",
    "lifetime",
    "macro",
    "dependency",
    "licence",
    "repository",
    "commit",
    "conflict",
    "merge",
    "parser",
    "scheduler",
    "allocator",
    "iterator",
    "closure",
    "borrow",
    "deadlock",
    "throughput",
    "latency",
];

const GLUE: [&str; 24] = [
    "should be kept with",
    "depends on",
    "is written before",
    "waits for",
    "comes from",
    "belongs to",
    "must not change",
    "is read again after",
    "fails without",
    "grows with",
    "was replaced by",
    "is smaller than",
    "holds",
    "follows",
    "is checked against",
    "never reaches",
    "is hidden behind",
    "stands beside",
    "was measured under",
    "closes",
    "is counted in",
    "opens",
    "moves to",
    "ends with",
];

/// A linear congruential generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    /// One of a list in which what comes first is more frequent, about as one over its place.
    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        let place = (all.len() as f64 + 1.0).powf(self.below(1 << 20) as f64 / (1 << 20) as f64);
        all.get(place as usize - 1).copied().unwrap_or("")
    }
}

/// The text of message `index`: a short question where it is even, else an answer several times as long.
pub fn text(index: usize) -> String {
    let mut dice = Dice(index as u64 * 7_919 + 17);
    let sentences = if index.is_multiple_of(2) { 1 + dice.below(2) } else { 3 + dice.below(8) };
    let korean = dice.below(2) == 0;
    let mut text = format!("#T{index:06}");
    for _ in 0..sentences {
        text.push(' ');
        text.push_str(&match (dice.below(6), korean) {
            (0, _) => code(&mut dice),
            (_, true) => hangul(&mut dice),
            (_, false) => english(&mut dice),
        });
    }
    text
}

fn hangul(dice: &mut Dice) -> String {
    let mut words: Vec<String> = (0..2 + dice.below(3))
        .map(|_| {
            let compound = if dice.below(3) == 0 { dice.of(&KOREAN) } else { "" };
            format!("{compound}{}{}", dice.of(&KOREAN), dice.of(&PARTICLES))
        })
        .collect();
    words.push(format!("{}.", dice.of(&VERBS)));
    words.join(" ")
}

fn english(dice: &mut Dice) -> String {
    let (first, second, third) = (dice.of(&ENGLISH), dice.of(&ENGLISH), dice.of(&ENGLISH));
    format!("The {first} {second} {} the {third} of {}.", dice.of(&GLUE), dice.below(5_000))
}

fn code(dice: &mut Dice) -> String {
    let name = |dice: &mut Dice| {
        let (first, second) = (dice.of(&ENGLISH), dice.of(&ENGLISH));
        match dice.below(2) {
            0 => format!("{first}_{second}"),
            _ => format!("{first}{}{}", second[..1].to_uppercase(), &second[1..]),
        }
    };
    let (called, given, number) = (name(dice), name(dice), dice.below(1_000));
    format!("```rust\nlet {given} = {called}(&{given}, {number})?;\n```")
}

/// What is typed into the search: every word of the lists, and every tenth of them with another.
pub fn queries() -> Vec<String> {
    let mut all: Vec<String> =
        KOREAN.iter().chain(&ENGLISH).map(|word| (*word).to_owned()).collect();
    for place in (0..KOREAN.len()).step_by(5) {
        let next = (place * 7 + 3) % KOREAN.len();
        all.push(format!("{} {}", KOREAN[place], KOREAN[next]));
        all.push(format!("{} {}", ENGLISH[place], ENGLISH[next]));
        all.push(format!("{}는", KOREAN[place]));
        all.push(format!("\"{} {}\"", ENGLISH[place], ENGLISH[next]));
        all.push(ENGLISH[place].chars().take(3).collect());
        all.push(format!("t{:06}", place * 1_003));
    }
    all
}

/// Whole questions.
pub fn questions() -> Vec<String> {
    (0..KOREAN.len())
        .map(|place| {
            let next = (place * 5 + 11) % KOREAN.len();
            match place % 2 {
                0 => format!("{}의 {}를 왜 바꾸기로 했는지 알려줘", KOREAN[place], KOREAN[next]),
                _ => format!(
                    "Why did we decide that the {} waits for the {}, and which {} was it?",
                    ENGLISH[place], ENGLISH[next], KOREAN[next]
                ),
            }
        })
        .collect()
}
