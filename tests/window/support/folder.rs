//! Project folders to open.

use std::path::Path;

use tempfile::TempDir;

/// A small project in two languages, with a file that must never be sent.
#[track_caller]
pub(crate) fn project() -> TempDir {
    let folder = tempfile::Builder::new().prefix("aurora-").tempdir().expect("a folder");
    fill(folder.path());
    folder
}

/// The same in a folder that is made for it.
#[track_caller]
pub(crate) fn fill(folder: &Path) {
    write(
        folder,
        "AGENTS.md",
        "# Rules\n\n- Never break the public API.\n- 커밋 메시지는 한국어로 씁니다.\n",
    );
    write(
        folder,
        "README.md",
        "# aurora-api\n\nKeeps sessions and refresh tokens.\n\nThe service listens on port 5433.\n",
    );
    write(
        folder,
        "docs/운영.md",
        "# 운영 안내\n\n리프레시 토큰의 수명은 30일입니다.\n\n배포는 매주 화요일에 합니다.\n",
    );
    write(
        folder,
        "src/auth.rs",
        "/// A refresh token lives for thirty days and is used once.\n\
         pub fn rotate_refresh_token(store: &Store, token: &str) -> Result<String, Refused> {\n\
         \x20   let session = store.take(token).ok_or(Refused)?;\n\
         \x20   store.issue(session, THIRTY_DAYS)\n}\n",
    );
    write(folder, ".env", "DATABASE_PASSWORD=canary-5f1c\n");
}

#[track_caller]
pub(crate) fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("inside the folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}
