// Trims a history to a window with @langchain/core, for `make bench`. Called with the folder that the packages lie in, a
// file with a JSON array of texts, and the number of runs. Prints the time of each run in milliseconds, with tokens that
// gpt-tokenizer counts and with the length of the texts in their place, and how many messages stay.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [, , folder, file, runs] = process.argv;
const load = createRequire(path.join(folder, 'here.js'));
const { AIMessage, HumanMessage, trimMessages } = load('@langchain/core/messages');
const { countTokens } = load('gpt-tokenizer/encoding/o200k_base');

const texts = JSON.parse(readFileSync(file, 'utf8'));
const history = texts.map((text, index) => (index % 2 === 0 ? new HumanMessage(text) : new AIMessage(text)));
const counters = {
  counted: (messages) => messages.reduce((sum, message) => sum + countTokens(message.content), 0),
  estimated: (messages) => messages.reduce((sum, message) => sum + message.content.length / 4, 0),
};

const trimmed = {};
for (const [name, tokenCounter] of Object.entries(counters)) {
  const times = [];
  let kept = 0;
  for (let run = 0; run < Number(runs); run += 1) {
    const start = performance.now();
    const messages = await trimMessages(history, { maxTokens: 8000, strategy: 'last', tokenCounter });
    times.push(performance.now() - start);
    kept = messages.length;
  }
  if (kept === 0) throw new Error('nothing stayed of the history');
  trimmed[name] = { times, kept };
}
process.stdout.write(JSON.stringify(trimmed));
