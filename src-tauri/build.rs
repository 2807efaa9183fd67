//! Compiles the Tauri context; capabilities and permissions live beside the shell, not at the root.

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    println!("cargo:rerun-if-changed=src-tauri/permissions");
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*.json")
        .app_manifest(
            tauri_build::AppManifest::new()
                .permissions_path_pattern("./src-tauri/permissions/**/*.toml"),
        );
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:warning={error:#}");
        std::process::exit(1);
    }
}
