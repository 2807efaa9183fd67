// Takes checkpoints of a folder with Gemini CLI's GitService, for `make bench`. Called with the folder of the package
// @google/gemini-cli-core, the folder of the project and one for the shadow repository. Each line that comes in is an
// act: `take`, or `restore` and what a `take` answered. Each line that goes out is the milliseconds it took, and for
// `take` what to restore it by.

import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import path from 'node:path';

// Its remarks would stand between the answers.
for (const way of ['log', 'info', 'debug', 'warn']) console[way] = () => {};

const [, , packageDir, root, history] = process.argv;
const file = path.join(packageDir, 'dist/src/services/gitService.js');
const { GitService } = await import(pathToFileURL(file).href);
const service = new GitService(root, { getHistoryDir: () => history, initialize: async () => {} });

let ready = false;
for await (const line of createInterface({ input: process.stdin })) {
  const [act, at] = line.split(' ');
  const start = performance.now();
  if (!ready) await service.initialize();
  ready = true;
  const taken = act === 'take' ? await service.createFileSnapshot('bench') : await service.restoreProjectFromSnapshot(at);
  process.stdout.write(`${performance.now() - start} ${taken ?? ''}\n`);
}
