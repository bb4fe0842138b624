// Runs a reusable workflow of this repository on one machine, as GitHub's runners would: every `run` step in the shell and with
// the files GitHub gives it, every job in a folder of its own, against a real git remote. Actions of GitHub's own are folders
// that are copied. What it does not know (an action, an input, an output, an expression) is an error.
//
// Reads one JSON document from stdin: { repository, caller, remote, folder, artifacts, event, env, packages, done }; `done` has
// the results of jobs that are not run. Writes one: { jobs: [{ name, attempt, result, log, summary }], needs, outputs, gates }.
import { spawn, execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { createRequire } from 'node:module';
import { fill, wanted } from './expression.mjs';

const plan = JSON.parse(fs.readFileSync(0, 'utf8'));
const { yaml } = createRequire(import.meta.url)(path.join(plan.packages, 'playwright-core/lib/utilsBundle'));
const read = file => yaml.parse(fs.readFileSync(file, 'utf8'));
const store = plan.artifacts;
const report = [];

const caller = yaml.parse(plan.caller);
const [calling, called] = Object.entries(caller.jobs).find(([, job]) => job.uses);
const file = called.uses.replace(/^[^/]+\/[^/]+\//, '').replace(/@.*$/, '');
const workflow = read(path.join(plan.repository, file));
const declared = workflow.on.workflow_call;
const inputs = given(declared.inputs, called.with);
const secrets = given(declared.secrets, called.secrets);
const github = { event_name: plan.event, token: 't0ken-of-the-forge', run_attempt: 1, repository: 'team/shop' };

/** Inputs or secrets as they are declared, with those that are given. */
function given(declared, given = {}) {
  for (const name of Object.keys(given)) if (!(name in declared)) throw new Error(`no input or secret ${name}`);
  return Object.fromEntries(Object.entries(declared).map(([name, input]) => {
    if (input.required && given[name] === undefined) throw new Error(`${name} is missing`);
    return [name, given[name] ?? input.default ?? ''];
  }));
}

/** The permissions of a job, which its caller must have as well. */
function permitted(job) {
  const wants = job.permissions ?? workflow.permissions;
  const rank = ['none', 'read', 'write'];
  for (const [scope, level] of Object.entries(wants)) {
    if (!rank.includes(level)) throw new Error(`no permission ${scope}: ${level}`);
    const has = (called.permissions ?? {})[scope] ?? 'none';
    if (rank.indexOf(level) > rank.indexOf(has)) throw new Error(`the caller has not ${scope}: ${level}`);
  }
  return wants;
}

const hidden = relative => relative.split('/').some(part => part.startsWith('.') && part !== '.' && part !== '..');

// What an action takes, and what it does; the outputs it may have.
const actions = {
  'actions/checkout': {
    inputs: ['repository', 'ref', 'token', 'path', 'persist-credentials', 'fetch-depth'],
    run({ job, options }) {
      const into = path.join(job.workspace, options.path ?? '');
      fs.mkdirSync(into, { recursive: true });
      if (options.repository) {
        if (!options.token) throw new Error('no token for another repository');
        // This one, as far as it is used.
        fs.cpSync(path.join(plan.repository, '.github'), path.join(into, '.github'), { recursive: true });
        git(into, 'init', '--quiet');
        git(into, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '--message', 'all');
        return;
      }
      const depth = options['fetch-depth'] === 0 ? [] : [`--depth=${options['fetch-depth'] ?? 1}`];
      git(into, 'clone', '--quiet', ...depth, `file://${plan.remote}`, '.');
      if (options['persist-credentials'] === false || job.permissions.contents !== 'write') {
        git(into, 'remote', 'set-url', '--push', 'origin', '/no/credentials');
      }
    },
  },
  'actions/setup-node': { inputs: ['node-version'], run() {} },
  'actions/cache': { inputs: ['path', 'key'], outputs: ['cache-hit'], run() {} },
  'actions/upload-artifact': {
    inputs: ['name', 'path', 'include-hidden-files', 'overwrite'],
    run({ job, options }) {
      const from = path.join(job.workspace, options.path), to = path.join(store, options.name);
      if (fs.existsSync(to) && !options.overwrite) throw new Error(`an artifact ${options.name} is there already`);
      fs.rmSync(to, { recursive: true, force: true });
      const shown = source => options['include-hidden-files'] || !hidden(path.relative(job.workspace, source));
      if (!fs.existsSync(from) || !shown(from)) return 'no files were found';
      const one = fs.statSync(from).isFile();
      fs.cpSync(from, one ? path.join(to, path.basename(from)) : to, { recursive: true, filter: shown });
      // An artifact keeps no permissions.
      for (const name of fs.readdirSync(to)) {
        if (fs.statSync(path.join(to, name)).isFile()) fs.chmodSync(path.join(to, name), 0o644);
      }
    },
  },
  'actions/download-artifact': {
    inputs: ['name', 'path', 'pattern'],
    run({ job, options }) {
      const into = path.resolve(job.workspace, options.path);
      if (options.pattern) {
        const [start] = options.pattern.split('*');
        for (const name of fs.readdirSync(store).filter(name => name.startsWith(start))) {
          fs.cpSync(path.join(store, name), path.join(into, name), { recursive: true });
        }
        return;
      }
      if (!fs.existsSync(path.join(store, options.name))) throw new Error(`no artifact ${options.name}`);
      fs.cpSync(path.join(store, options.name), into, { recursive: true });
    },
  },
};

function git(folder, ...words) {
  const env = { PATH: process.env.PATH, HOME: plan.folder, GIT_CONFIG_NOSYSTEM: '1' };
  execFileSync('git', words, { cwd: folder, env, stdio: 'pipe' });
}

const STEP = ['id', 'name', 'if', 'uses', 'with', 'run', 'env', 'shell', 'working-directory', 'continue-on-error', 'timeout-minutes'];

/** One step: its outputs go into `steps`, and whether it went well is the answer. */
async function step(job, definition, contexts, steps, action) {
  for (const key of Object.keys(definition)) if (!STEP.includes(key)) throw new Error(`a step has no ${key}`);
  const outputs = {};
  let ok = true;
  const env = fill({ ...workflow.env, ...job.definition.env, ...definition.env }, contexts);
  if (definition.run !== undefined) {
    if (/\$\{\{/.test(definition.run)) throw new Error(`an expression in a shell script: ${definition.run}`);
    if (action && !definition.shell) throw new Error('a step of an action names its shell');
    for (const name of named(definition)) outputs[name] = '';
    const usual = action ? '.' : (job.definition.defaults?.run?.['working-directory'] ?? '.');
    const folder = path.join(job.workspace, fill(definition['working-directory'] ?? usual, contexts));
    ok = await shell(job, definition, folder, env, outputs, action);
  } else if (definition.uses.startsWith('./')) {
    const folder = path.join(job.workspace, definition.uses);
    const composite = read(path.join(folder, 'action.yml'));
    const inner = { ...contexts, inputs: given(composite.inputs, fill(definition.with, contexts)), steps: {} };
    for (const one of composite.runs.steps) ok &&= await step(job, one, inner, inner.steps, folder);
    for (const [name, output] of Object.entries(composite.outputs)) outputs[name] = inner.steps.run ? fill(output.value, inner) : '';
  } else {
    const [, name] = /^([\w-]+\/[\w-]+)@[0-9a-f]{40}$/.exec(definition.uses) ?? [];
    if (!actions[name]) throw new Error(`the action ${definition.uses} is not known, or not pinned`);
    const options = fill(definition.with ?? {}, contexts);
    for (const key of Object.keys(options)) if (!actions[name].inputs.includes(key)) throw new Error(`${name} has no input ${key}`);
    for (const output of actions[name].outputs ?? []) outputs[output] = '';
    try {
      job.log += `${name} ${JSON.stringify(options).replaceAll(github.token, '***')} ${actions[name].run({ job, options }) ?? ''}\n`;
    } catch (error) {
      job.log += `${name}: ${error.message}\n`;
      ok = false;
    }
  }
  if (definition.id) steps[definition.id] = { outputs };
  return ok || definition['continue-on-error'] === true;
}

/** The outputs that the script of a step may set. */
const named = definition => [...(definition.run ?? '').matchAll(/echo "([\w-]+)=/g)].map(([, name]) => name);

async function shell(job, definition, folder, env, outputs, action) {
  const temp = fs.mkdtempSync(path.join(job.folder, 'step-'));
  const files = Object.fromEntries(['OUTPUT', 'PATH', 'ENV'].map(name => [`GITHUB_${name}`, path.join(temp, name)]));
  files.GITHUB_STEP_SUMMARY = job.summary;
  for (const one of Object.values(files)) fs.appendFileSync(one, '');
  const script = path.join(temp, 'script.sh');
  fs.writeFileSync(script, definition.run);
  const words = definition.shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail', script] : ['-e', script];
  job.log += `$ ${definition.run.trim()}\n`;
  const child = spawn('bash', words, {
    cwd: folder,
    env: {
      ...plan.env, ...files, CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: job.workspace,
      RUNNER_TEMP: job.temp, TMPDIR: job.temp, HOME: job.home,
      PATH: [...job.path, plan.env.PATH].join(':'), ...(action && { GITHUB_ACTION_PATH: action }),
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', bytes => (job.log += bytes));
  const code = await new Promise(resolve => child.on('close', resolve));
  job.log += `exit ${code}\n`;
  if (fs.readFileSync(files.GITHUB_ENV, 'utf8')) throw new Error('GITHUB_ENV is not known here');
  job.path.unshift(...fs.readFileSync(files.GITHUB_PATH, 'utf8').split('\n').filter(Boolean));
  for (const line of fs.readFileSync(files.GITHUB_OUTPUT, 'utf8').split('\n').filter(Boolean)) {
    const at = line.indexOf('=');
    if (at < 1) throw new Error(`no output: ${line}`);
    outputs[line.slice(0, at)] = line.slice(at + 1);
  }
  return code === 0;
}

/** One job on a machine of its own. */
async function run(name, definition, needs, matrix, attempt) {
  const label = matrix ? `${name}-${matrix.job}` : name;
  const folder = path.join(plan.folder, `${label}.${attempt}`);
  const [workspace, temp, home, summary] = ['checkout', 'temp', 'home', 'summary.md'].map(name => path.join(folder, name));
  const job = { definition, folder, workspace, temp, home, summary, path: [], log: '', permissions: permitted(definition) };
  for (const one of [job.workspace, job.temp, job.home]) fs.mkdirSync(one, { recursive: true });
  fs.writeFileSync(job.summary, '');
  const steps = {};
  const runner = { temp, os: 'Linux', arch: 'X64' };
  const contexts = { inputs, secrets, github: { ...github, run_attempt: attempt }, runner, steps, needs, ...(matrix && { matrix }) };
  if (!definition['timeout-minutes']) throw new Error(`${name} may run for ever`);
  let ok = true;
  for (const one of definition.steps) {
    if (wanted(one.if, contexts, ok)) ok = (await step(job, one, contexts, steps)) && ok;
    else if (one.id) steps[one.id] = { outputs: Object.fromEntries(named(one).map(name => [name, ''])) };
  }
  const outputs = Object.entries(definition.outputs ?? {}).map(([key, value]) => [key, fill(value, contexts)]);
  const result = ok ? 'success' : 'failure';
  report.push({ name: label, attempt, result, log: job.log, summary: fs.readFileSync(summary, 'utf8') });
  return { result, outputs: Object.fromEntries(outputs) };
}

fs.mkdirSync(store, { recursive: true });
const jobs = {};
for (const [name, definition] of Object.entries(workflow.jobs)) {
  if (plan.done[name]) {
    jobs[name] = plan.done[name];
    continue;
  }
  const needs = Object.fromEntries([definition.needs ?? []].flat().map(need => [need, jobs[need]]));
  const fine = Object.values(needs).every(need => need.result === 'success');
  const declaredOutputs = Object.fromEntries(Object.keys(definition.outputs ?? {}).map(key => [key, '']));
  if (!wanted(definition.if, { inputs, github, needs }, fine)) {
    jobs[name] = { result: 'skipped', outputs: declaredOutputs };
    report.push({ name, attempt: 1, result: 'skipped', log: '', summary: '' });
    continue;
  }
  const machines = definition.strategy ? fill(definition.strategy.matrix, { inputs, github, needs }).include : [undefined];
  let result = 'success', outputs = declaredOutputs;
  for (const matrix of machines) {
    // A job that failed is run again once, as a person would ask for.
    let done = await run(name, definition, needs, matrix, 1);
    if (done.result === 'failure' && definition.strategy) done = await run(name, definition, needs, matrix, 2);
    if (done.result === 'failure') result = 'failure';
    outputs = done.outputs;
  }
  jobs[name] = { result, outputs };
}
const outputs = Object.fromEntries(Object.entries(declared.outputs).map(([name, output]) => [name, fill(output.value, { jobs })]));
// The gate of the caller, with what the workflow answers.
const answered = { needs: { [calling]: { outputs } } };
const gates = Object.entries(caller.jobs)
  .filter(([, job]) => [job.needs].flat().includes(calling))
  .map(([name, job]) => ({ name, runs: job.steps.map(one => fill(one.run, answered)) }));
process.stdout.write(JSON.stringify({ jobs: report, needs: jobs, outputs, gates }));
