// Loads the memory of a folder with Gemini CLI's loader, for `make bench`. Called with the folder of the package
// @google/gemini-cli-core, the folder of the project and the number of runs; HOME holds the global memory. Prints how
// long each run took, in milliseconds, and how many files it found.

import { pathToFileURL } from 'node:url';
import path from 'node:path';

// Its remarks would be measured too, and stand between the figures.
for (const way of ['log', 'info', 'debug', 'warn']) console[way] = () => {};

const [, , packageDir, root, runs] = process.argv;
const load = (file) => import(pathToFileURL(path.join(packageDir, 'dist/src', file)).href);
const { loadServerHierarchicalMemory, loadJitSubdirectoryMemory } = await load('utils/memoryDiscovery.js');
const { FileDiscoveryService } = await load('services/fileDiscoveryService.js');

async function timed(act) {
  const start = performance.now();
  const result = await act();
  return [performance.now() - start, result];
}

async function whole(maxDirs) {
  const times = [];
  let found = 0;
  for (let run = 0; run < Number(runs); run += 1) {
    const files = new FileDiscoveryService(root);
    const extensions = { getExtensions: () => [] };
    const [time, result] = await timed(() =>
      loadServerHierarchicalMemory(root, [], files, extensions, true, 'tree', undefined, maxDirs),
    );
    times.push(time);
    found = result.fileCount;
  }
  return { times, found };
}

async function touched() {
  const times = [];
  let found = 0;
  for (let run = 0; run < Number(runs); run += 1) {
    const target = path.join(root, `p${run % 20}/m${run % 10}/lib/f0.ts`);
    const [time, result] = await timed(() => loadJitSubdirectoryMemory(target, [root], new Set()));
    times.push(time);
    found = result.files.length;
  }
  return { times, found };
}

const usual = await whole(200);
const complete = await whole(100_000);
// It looks for GEMINI.md alone, and for nothing where the folder is the home.
if (complete.found === 0) throw new Error('no GEMINI.md was found; a time for that would say nothing');
process.stdout.write(JSON.stringify({ usual, complete, touched: await touched() }));
