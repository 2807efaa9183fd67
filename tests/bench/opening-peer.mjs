// Opens a recorded conversation with Gemini CLI's own loader, for `make bench`. Called with the folder of the package
// @google/gemini-cli-core, the recorded conversation and the number of runs. Prints how long each run took, in
// milliseconds: of all messages, of the newest 50, and of what its list of conversations reads of each.

import { pathToFileURL } from 'node:url';
import path from 'node:path';

// Its remarks would stand between the figures.
for (const way of ['log', 'info', 'debug', 'warn']) console[way] = () => {};

const [, , packageDir, file, runs] = process.argv;
const service = path.join(packageDir, 'dist/src/services/chatRecordingService.js');
const { loadConversationRecord } = await import(pathToFileURL(service).href);

async function timed(options) {
  const times = [];
  let found = 0;
  for (let run = 0; run < Number(runs); run += 1) {
    const start = performance.now();
    const record = await loadConversationRecord(file, options);
    times.push(performance.now() - start);
    found = record?.messages.length || record?.messageCount || 0;
  }
  if (found === 0) throw new Error('the recorded conversation was not understood');
  return { times, found };
}

const whole = await timed();
const newest = await timed({ maxMessages: 50 });
process.stdout.write(JSON.stringify({ whole, newest, listed: await timed({ metadataOnly: true }) }));
