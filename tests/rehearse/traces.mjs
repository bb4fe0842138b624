// Runs every suite of HealBench once against its unchanged application, with Playwright's traces, and keeps them in a folder.
//   node traces.mjs BENCH OUT [id,…]
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [bench, out, only] = process.argv.slice(2).map((argument, at) => (at < 2 ? path.resolve(argument) : argument));
const load = name => import(pathToFileURL(path.join(bench, 'lib', name)).href);
const { loadSplit, startServer } = await load('server.mjs');
const { stage, runSpec } = await load('run.mjs');
const { split, apps, cases } = await loadSplit(bench);
const wanted = only?.split(',');
const scratch = fs.mkdtempSync(path.join(out, '.projects-'));
let red = 0;
for (const kase of cases.filter(kase => !wanted || wanted.includes(kase.id))) {
  const project = stage(kase, path.join(scratch, kase.id));
  const server = await startServer({ split, apps, kase, variant: 'v1' });
  const args = ['--trace', 'on', '--output', path.join(out, kase.id)];
  let run;
  for (let attempt = 0; attempt < 3 && !run?.passed; attempt++) // a loaded machine may need more than one go
    run = await runSpec(project, { spec: kase.spec, baseUrl: server.url, timeout: 120000, args });
  await server.close();
  if (run.passed) continue;
  red++;
  fs.rmSync(path.join(out, kase.id), { recursive: true, force: true });
  console.error(`left out ${kase.id}: not green. ${(run.error ?? '').split('\n')[0]}`);
}
fs.rmSync(scratch, { recursive: true, force: true });
console.error(`${fs.readdirSync(out).length} suites recorded, ${red} left out`);
