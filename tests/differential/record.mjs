// Opens pages in Chromium with the real Playwright, records a trace snapshot of each, and asks Playwright which elements
// locators match and what role and name every element has. The Rust side (tests/it/differential.rs) compares.
//
//   node record.mjs OUT [--full] [--locators N]
//
// Writes OUT/<page>/{trace.zip, answers.jsonl, elements.jsonl} and OUT/pages.json. Elements are known by `data-le`, given
// to every element of every frame and open shadow tree before the snapshot is taken.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generate, handWritten } from './locators.mjs';
import { serve } from './server.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const args = process.argv.slice(2);
const out = args.find(arg => !arg.startsWith('--') && !/^\d+$/.test(arg));
const full = args.includes('--full');
const perPage = Number(args[args.indexOf('--locators') + 1]) || (full ? 280 : 70);
if (!out) {
  console.error('usage: node record.mjs OUT [--full] [--locators N]');
  process.exit(2);
}

const folder = full ? join(here, 'full') : here;
install(here);
install(folder);
const require = createRequire(join(here, 'package.json'));
const { chromium } = require('playwright-core');
const injected = injectedSource();

const server = await serve({
  '/dom/': join(here, '../../fixtures/dom'),
  '/npm/': join(folder, 'node_modules'),
  '/full/': join(here, 'full'),
});
const browser = await chromium.launch({
  executablePath: executable(),
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const pages = [];
try {
  for (const address of addresses()) {
    const name = address.replace(/[^\w.-]+/g, '_').replace(/^_/, '');
    const started = Date.now();
    const result = await record(name, server.origin + address).catch(error => ({ error: String(error).split('\n')[0] }));
    pages.push({ name, address, ...result });
    console.error(`${name}: ${JSON.stringify(result)} ${Date.now() - started} ms`);
  }
} finally {
  await browser.close();
  server.close();
}
writeFileSync(join(out, 'pages.json'), JSON.stringify(pages, null, 1));

/** The packages as the lock file has them. */
function install(folder) {
  const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const marker = join(folder, 'node_modules/.installed-lock');
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock)
    return;
  const npm = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    env: { ...process.env, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (npm.status !== 0) {
    console.error(`cannot install the packages of ${folder}`);
    process.exit(3);
  }
  writeFileSync(marker, lock);
}

/** The browser: the one named in RELOCATOR_CHROMIUM, Playwright's own, or the system's. */
function executable() {
  if (process.env.RELOCATOR_CHROMIUM)
    return process.env.RELOCATOR_CHROMIUM;
  if (existsSync(chromium.executablePath()))
    return undefined;
  const names = ['chromium', 'chromium-browser', 'google-chrome'];
  return (process.env.PATH ?? '').split(':').flatMap(folder => names.map(name => join(folder, name))).find(existsSync);
}

/** The pages to open: our own, and the HTML files of the packages that package.json names, evenly picked. */
function addresses() {
  const own = readdirSync(join(here, '../../fixtures/dom')).filter(file => file.endsWith('.html')).sort();
  const list = own.map(file => `/dom/${file}`);
  if (full)
    list.push('/full/shoelace.html');
  const { pages } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  for (const [pkg, wanted] of Object.entries(pages)) {
    const root = join(folder, 'node_modules', pkg);
    const files = htmlFiles(root).map(file => relative(root, file)).sort();
    const step = Math.max(1, files.length / wanted);
    for (let at = 0, taken = 0; at < files.length && taken < wanted; at += step, taken++)
      list.push(`/npm/${pkg}/${files[Math.floor(at)]}`);
  }
  return list;
}

function htmlFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === 'node_modules' ? [] : htmlFiles(path);
    return entry.name.endsWith('.html') ? [path] : [];
  });
}

async function record(name, url) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  await page.route(target => target.origin !== server.origin, route => route.abort());
  await context.tracing.start({ snapshots: true });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForLoadState('networkidle', { timeout: 4000 }).catch(() => {});
  await page.waitForTimeout(300);
  for (const frame of page.frames())
    await frame.evaluate(freeze).catch(() => {});
  let next = 0;
  for (const frame of page.frames())
    next = await frame.evaluate(mark, next).catch(() => next);
  const before = await signature(page);
  await page.evaluate('0');
  const folder = join(out, name);
  mkdirSync(folder, { recursive: true });
  await context.tracing.stop({ path: join(folder, 'trace.zip') });

  const elements = [];
  for (const frame of page.frames())
    elements.push(...await frame.evaluate(`(${describe})(${JSON.stringify(injected)})`).catch(() => []));
  const main = elements.filter(element => element.main);
  const locators = [...handWritten(main, name), ...generate(main, perPage, name)];
  const answers = await inTurn(locators, 8, async locator => {
    try {
      // The locators are made in this folder: code, not data.
      return { locator, elements: await eval(`page.${locator}`).evaluateAll(list => list.map(element => element.getAttribute('data-le'))) };
    } catch (error) {
      return { locator, error: String(error.message).split('\n')[0] };
    }
  });
  const moved = before !== await signature(page);
  await context.close();
  writeFileSync(join(folder, 'answers.jsonl'), answers.map(answer => JSON.stringify(answer)).join('\n') + '\n');
  writeFileSync(join(folder, 'elements.jsonl'), elements.map(element => JSON.stringify(element)).join('\n') + '\n');
  return { elements: elements.length, locators: answers.length, moved };
}

/** The results of `ask` for every item, `width` at a time. */
async function inTurn(items, width, ask) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await ask(items[at]);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}

/** Everything that a locator could see, to notice a page that changed while it was asked. */
async function signature(page) {
  const parts = [];
  for (const frame of page.frames())
    parts.push(await frame.evaluate(() => document.documentElement.outerHTML).catch(() => ''));
  return parts.join('\0');
}

/** Stops what would change the page while it is looked at, and takes out what no snapshot holds. */
function freeze() {
  document.querySelectorAll('script, noscript, link[rel=preload], link[rel=prefetch]').forEach(element => element.remove());
  window.requestAnimationFrame = () => 0;
  const last = setTimeout(() => {}, 0);
  for (let id = 0; id <= last; id++) {
    clearTimeout(id);
    clearInterval(id);
  }
}

function mark(next) {
  const visit = root => {
    for (const element of root.querySelectorAll('*')) {
      // A snapshot holds no attributes of <style>.
      if (element.localName !== 'style')
        element.setAttribute('data-le', String(next++));
      if (element.shadowRoot)
        visit(element.shadowRoot);
    }
  };
  visit(document);
  return next;
}

/** The source of the script that Playwright puts into pages, from its own bundle. */
function injectedSource() {
  const bundle = readFileSync(require.resolve('playwright-core').replace(/index\.js$/, 'lib/coreBundle.js'), 'utf8');
  const line = bundle.split('\n').find(line => line.includes('// packages/injected/src/injectedScript.ts') && /^\s*source\d* = /.test(line));
  return (0, eval)(line.slice(line.indexOf('=') + 1).trim().replace(/;$/, ''));
}

/** Role, name and visibility of every element of a frame, as Playwright computes them. */
function describe(source) {
  const module = {};
  new Function('module', source)(module);
  const script = new (module.exports.InjectedScript())(window, {
    isUnderTest: false, sdkLanguage: 'javascript', testIdAttributeName: 'data-testid', stableRafCount: 1,
    browserName: 'chromium', shouldPrependErrorPrefix: true, isUtilityWorld: false, customEngines: [],
  });
  const { getAriaRole, getElementAccessibleNameText, normalizeWhiteSpace, isElementVisible, elementText } = script.utils;
  const list = [];
  const texts = new Map();
  const visit = root => {
    for (const element of root.querySelectorAll('*')) {
      const attributes = {};
      for (const { name, value } of element.attributes)
        attributes[name] = value;
      list.push({
        le: element.getAttribute('data-le'),
        main: window === window.top,
        tag: element.localName,
        attributes,
        role: getAriaRole(element),
        name: normalizeWhiteSpace(getElementAccessibleNameText(element, false)),
        nameHidden: normalizeWhiteSpace(getElementAccessibleNameText(element, true)),
        visible: isElementVisible(element),
        display: getComputedStyle(element).display,
        visibility: getComputedStyle(element).visibility,
        before: getComputedStyle(element, '::before').content,
        after: getComputedStyle(element, '::after').content,
        text: elementText(texts, element).normalized.slice(0, 300),
        parent: (element.parentElement || element.getRootNode().host)?.getAttribute('data-le') ?? null,
        index: element.parentElement ? [...element.parentElement.children].indexOf(element) + 1 : 1,
        inShadow: element.getRootNode() !== document,
      });
      if (element.shadowRoot)
        visit(element.shadowRoot);
    }
  };
  visit(document);
  return list;
}
