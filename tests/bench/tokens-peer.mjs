// Counts tokens with libraries of others, for `make bench`. Called with the folder that their packages lie in, which of
// them counts, a file with a JSON object of texts, and the number of runs. Prints the time of each run in milliseconds
// and the count, for each text.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [, , folder, library, file, runs] = process.argv;
const load = createRequire(path.join(folder, 'here.js'));

// Each knows the vocabulary o200k; text that looks like a special token is text.
const libraries = {
  'gpt-tokenizer': () => {
    const { countTokens } = load('gpt-tokenizer/encoding/o200k_base');
    return (text) => countTokens(text, { disallowedSpecial: new Set() });
  },
  tiktoken: () => {
    const encoding = load('tiktoken').get_encoding('o200k_base');
    return (text) => encoding.encode(text, [], []).length;
  },
  'js-tiktoken': () => {
    const encoding = load('js-tiktoken').getEncoding('o200k_base');
    return (text) => encoding.encode(text, [], []).length;
  },
};

const count = libraries[library]();
count('The vocabulary is read before anything is measured.');
const counted = {};
for (const [name, text] of Object.entries(JSON.parse(readFileSync(file, 'utf8')))) {
  const times = [];
  let tokens = 0;
  for (let run = 0; run < Number(runs); run += 1) {
    const start = performance.now();
    tokens = count(text);
    times.push(performance.now() - start);
  }
  counted[name] = { times, tokens };
}
process.stdout.write(JSON.stringify(counted));
