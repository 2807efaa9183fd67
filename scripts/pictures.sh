#!/usr/bin/env bash
# The pictures of README and guide, out of those that `make shots` and some stories of the window left in target/shots/:
# in few colours, so that they weigh little. `make pictures` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

take() { # take SHOT PICTURE
    convert "target/shots/$1.png" -strip -dither None -colors 128 -define png:compression-level=9 "docs/$2.png"
}

mkdir -p docs/guide/pictures
for language in en ko; do
    for theme in light dark; do
        take "story-start-$language-$theme" "start-$language-$theme"
    done
    take "page-drop-$language-light" "guide/pictures/drop-$language"
    take "page-request-$language-light" "guide/pictures/request-$language"
    take "page-summaries-$language-light" "guide/pictures/summaries-$language"
    take "page-checkpoints-$language-light" "guide/pictures/checkpoints-$language"
    take "page-search-$language-light" "guide/pictures/search-$language"
    take "story-tools-change-$language" "guide/pictures/tools-$language"
    take "story-today-full-$language-light-1280" "guide/pictures/today-$language"
    take "story-memory-share-$language" "guide/pictures/share-$language"
    take "vault-$language-light" "guide/pictures/agents-$language"
    take "keys-$language-light" "guide/pictures/keys-$language"
    take "settings-privacy-$language-light" "guide/pictures/privacy-$language"
done
take models-en-light guide/pictures/models-en
take models-ko-dark guide/pictures/models-ko
take story-sides-answered-en-light guide/pictures/sides-en
take story-sides-answered-ko-dark guide/pictures/sides-ko
take story-working-asks-en-light guide/pictures/working-en
take story-working-asks-ko-dark guide/pictures/working-ko
take story-copies-board-en-light guide/pictures/copies-en
take story-copies-board-ko-dark guide/pictures/copies-ko
