//! The words of [`crate::args`] about checkpoints beyond this computer, each with its translation.

pub(super) const KOREAN: &[(&str, &str)] = &[
    (
        "Write a checkpoint into a file, with everything that restoring it elsewhere takes",
        "다른 곳에서 되돌리는 데 필요한 모든 것과 함께 체크포인트를 파일로 쓰기",
    ),
    ("The file", "파일"),
    ("The file; it must not exist", "파일. 아직 없는 이름이어야 함"),
    ("Lock the file with the passphrase that this one holds", "이 파일에 담긴 암호로 잠그기"),
    ("Take a checkpoint out of such a file", "그런 파일에서 체크포인트를 꺼내 오기"),
    ("Unlock it with the passphrase that this file holds", "이 파일에 담긴 암호로 열기"),
    (
        "Checkpoints of other programs; with a path, take that one over",
        "다른 프로그램의 체크포인트. 경로를 주면 그것을 가져오기",
    ),
    ("One of the listed files", "나열된 파일 가운데 하나"),
    (
        "Send the project's checkpoints to a remote that lacks them",
        "원격 저장소에 없는 프로젝트의 체크포인트를 보내기",
    ),
    ("The remote", "원격 저장소"),
    (
        "When checkpoints go to a remote without being asked for",
        "시키지 않아도 체크포인트를 원격 저장소로 보낼 때",
    ),
    ("When", "언제"),
    ("Only when they are pushed", "직접 보낼 때만"),
    ("After each checkpoint", "체크포인트마다"),
    ("Once a day, with the first checkpoint of it", "하루 한 번, 그날의 첫 체크포인트와 함께"),
    ("When the program ends", "프로그램이 끝날 때"),
    (
        "Fetch checkpoints of a remote into the project; nothing is overwritten",
        "원격 저장소의 체크포인트를 프로젝트로 가져오기. 덮어쓰는 것은 없음",
    ),
    ("Their ids [default: all]", "아이디들 [기본: 모두]"),
    (
        "Places beyond this computer: list, add, test, remove",
        "이 컴퓨터 밖의 저장소: 나열하고, 더하고, 시험하고, 지우기",
    ),
    ("The remotes", "원격 저장소들"),
    (
        "Add a remote: join what is there with its passphrase, or begin with it",
        "원격 저장소 더하기: 이미 있으면 그 암호로 함께하고, 없으면 이 암호로 시작하기",
    ),
    ("What it is", "종류"),
    (
        "The folder, the bucket, or the account and container as ACCOUNT/CONTAINER",
        "폴더, 버킷, 또는 ACCOUNT/CONTAINER 꼴의 계정과 컨테이너",
    ),
    (
        "The file that holds the passphrase; it opens the remote on every computer",
        "암호를 담은 파일. 어느 컴퓨터에서든 이 암호로 원격 저장소가 열림",
    ),
    (
        "The file that holds the secret key, account key or service account",
        "비밀 키, 계정 키, 서비스 계정을 담은 파일",
    ),
    ("Address of the service, unless it is the maker's own", "만든 곳의 것이 아니면 서비스의 주소"),
    ("The region", "리전"),
    ("What every name begins with", "모든 이름 앞에 붙는 말"),
    ("The id that goes with the secret key", "비밀 키와 짝을 이루는 아이디"),
    ("Where its key is kept", "키를 보관하는 곳"),
    (
        "Ask a remote what it keeps, and whether the key here opens it",
        "원격 저장소에 무엇이 있는지, 여기 있는 키로 열리는지 확인하기",
    ),
    ("The checkpoints on a remote", "원격 저장소에 있는 체크포인트"),
    (
        "Forget a remote and what opens it; what is on it stays",
        "원격 저장소와 그 키를 잊기. 그곳에 있는 것은 남음",
    ),
    ("A folder: another disk, a stick, a share", "폴더: 다른 디스크, USB, 공유 폴더"),
    ("A bucket that speaks S3", "S3 방식의 버킷"),
    ("A container of Azure's blob storage", "Azure Blob Storage의 컨테이너"),
    ("A bucket of Google's cloud storage", "Google Cloud Storage의 버킷"),
];
