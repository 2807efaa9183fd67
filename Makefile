# Siltstone. Each target is a line or two of ordinary tools; scripts/ holds what needs more than that.
.PHONY: setup run test check bench bench-recall train-recall torture shots package icons bindings

export PATH := $(PATH):$(HOME)/.cargo/bin

ui_sources := $(shell find ui -type f -not -path 'ui/node_modules/*' -not -path 'ui/dist/*')

# Install what this machine lacks
setup:
	@scripts/setup.sh

# Open the window (without a display: walk through it on a virtual one)
run: ui/dist/index.html
	@scripts/run.sh $(OPEN)

# Every test: Rust, UI, and the real window driven on a virtual screen
test: ui/dist/index.html
	@scripts/setup.sh test
	cargo test --locked --workspace --exclude siltstone-window-tests
	npm --prefix ui test
	scripts/window.sh

# Everything that can be wrong without running anything
check: ui/dist/index.html
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --locked --workspace --no-deps
	npm --prefix ui run check

# Measure; docs/performance.md says what the numbers mean
bench: ui/dist/index.html
	cargo run --locked --release -p siltstone-bench

# Try to lose work and to let something in; RIG=… SEED=… SCALE=… MINUTES=… (docs/proof.md)
torture:
	cargo build --locked --release -p siltstone-cli
	cargo run --locked --release -p siltstone-torture -- $(or $(RIG),all) $(addprefix --seed ,$(SEED)) $(addprefix --scale ,$(SCALE)) $(addprefix --minutes ,$(MINUTES))

# How well the messages that answer are found; FILE=… adds other conversations (docs/recall.md)
bench-recall:
	cargo run --locked --release -p siltstone-bench -- recall $(FILE)

# The weights of recall, from the project's own chats
train-recall:
	cargo run --locked --release -p siltstone-bench -- recall-train > target/weights.json
	mv target/weights.json src-tauri/crates/engine/src/recall/weights.json

# A picture of every screen, in both themes and languages, under target/shots/
shots: ui/dist/index.html
	@scripts/setup.sh test
	scripts/window.sh shots --include-ignored

# A .deb under target/release/bundle/deb/
package: setup
	ui/node_modules/.bin/tauri build --bundles deb -- --locked

# Every icon file from icons/siltstone.svg
icons: setup
	scripts/icons.sh

# The TypeScript types and the window's permissions, from the table of commands
bindings:
	UPDATE=1 cargo test --locked -p siltstone-contract --test freshness

# The UI, when it is older than its sources
ui/dist/index.html: $(ui_sources) | setup
	npm --prefix ui run build
