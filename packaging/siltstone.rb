# Homebrew: the .dmg that Tauri's bundler builds on a Mac. Where it is served from is not settled: address and sum are filled in
# when it is.
cask "siltstone" do
  version "0.1.0"
  sha256 :no_check

  url "https://siltstone.invalid/Siltstone_#{version}_aarch64.dmg"
  name "Siltstone"
  desc "Workbench for language models with visible context"
  homepage "https://siltstone.invalid/"

  depends_on arch: :arm64

  app "Siltstone.app"
  binary "#{appdir}/Siltstone.app/Contents/MacOS/silt"

  # What people wrote stays, unless they ask for it to go: `brew uninstall --zap`.
  zap trash: [
    "~/Library/Application Support/siltstone",
    "~/Library/Caches/dev.siltstone.app",
    "~/Library/WebKit/dev.siltstone.app",
  ]
end
