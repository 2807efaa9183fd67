#!/bin/bash
# Runs the agents whose sessions are read here, at their newest versions, against a model on loopback (tests/agents): each in
# a box without a network and with a home of its own.
#
#   scripts/agents.sh                 has each write the sessions that tests read (crates/vault, tests/it/files/made)
#   scripts/agents.sh continue SILT   has each go on with what the others wrote, as `silt` writes it for it
#
# OFFLINE=1 asks no registry. An agent that no registry gives is left as it was installed last; where it never was, the sessions of last time serve.
set -uo pipefail
cd "$(dirname "$0")/.."

programs=$PWD/target/agents
made=$PWD/src-tauri/crates/vault/tests/it/files/made
declare -A packages=(
  [claude-code]=@anthropic-ai/claude-code [codex]=@openai/codex [gemini-cli]=@google/gemini-cli
  [opencode]=opencode-ai [cline]=cline
)
for need in bwrap node npm sqlite3; do
  command -v $need >/dev/null || { echo "$0 needs $need" >&2; exit 2; }
done

install() {
  mkdir -p "$programs/$1"
  (cd "$programs/$1" && npm install --silent --no-audit --no-fund "${packages[$1]}@latest") && return
  echo "$1: the registry does not answer" >&2
  [ -d "$programs/$1/node_modules/.bin" ]
}

# The folder of the box's home, then a command: nothing leaves, and nothing of the real home is seen.
boxed() {
  local home=$1
  shift
  bwrap --dev-bind / / --tmpfs /home --bind "$home" /home/kim --unshare-net --die-with-parent \
    --clearenv --setenv PATH "$PATH" --setenv HOME /home/kim --setenv LANG C.UTF-8 timeout 300 "$@"
}

box=$(mktemp -d)
trap 'rm -rf "$box"' EXIT
failed=0
there=()
for agent in claude-code codex gemini-cli opencode cline; do
  if [ -n "${OFFLINE:-}" ] || install "$agent"; then there+=("$agent"); else echo "$agent: not installed; what it wrote last time serves"; fi
done

case ${1:-make} in
make)
  for agent in "${there[@]}"; do
    mkdir -p "$box/$agent/into"
    if boxed "$box/$agent" node tests/agents/make.mjs "$agent" "$programs" /home/kim/into; then
      rm -rf "${made:?}/$agent" && mkdir -p "$made" && cp -r "$box/$agent/into" "$made/$agent"
      echo "$agent $(node -p "require('$made/$agent/said.json').version"): written"
    else
      echo "$agent: failed; what it wrote last time serves" >&2
      failed=1
    fi
  done
  ;;
continue)
  silt=$(realpath "${2:?the program silt}")
  for from in "${there[@]}" siltstone; do
    for to in claude-code codex gemini-cli siltstone; do
      [ "$from $to" != "siltstone siltstone" ] || continue
      home=$box/$from-$to
      mkdir -p "$home"
      boxed "$home" node tests/agents/continue.mjs "$from" "$to" "$programs" "$made" "$silt" || failed=1
    done
  done
  ;;
*)
  echo "usage: $0 [continue SILT]" >&2
  exit 2
  ;;
esac
exit $failed
