// Locators to ask: written by hand for every page, and generated from what is on the page.

/** Forms that any page can answer, our own edge-case pages most of all. */
export function handWritten() {
  return [
    `locator('*')`, `locator('body *').first()`, `locator('body > *')`, `locator(':root')`, `locator('html')`,
    `getByRole('button')`, `getByRole('link')`, `getByRole('heading')`, `getByRole('textbox')`, `getByRole('img')`,
    `getByRole('list')`, `getByRole('listitem')`, `getByRole('row')`, `getByRole('cell')`, `getByRole('columnheader')`,
    `getByRole('rowheader')`, `getByRole('navigation')`, `getByRole('banner')`, `getByRole('contentinfo')`, `getByRole('main')`,
    `getByRole('region')`, `getByRole('form')`, `getByRole('dialog')`, `getByRole('combobox')`, `getByRole('listbox')`,
    `getByRole('option')`, `getByRole('checkbox')`, `getByRole('radio')`, `getByRole('group')`, `getByRole('presentation')`,
    `getByRole('none')`, `getByRole('paragraph')`, `getByRole('document')`, `getByRole('table')`, `getByRole('separator')`,
    `getByRole('button', { includeHidden: true })`, `getByRole('link', { includeHidden: true })`,
    `getByRole('button', { disabled: true })`, `getByRole('button', { expanded: false })`, `getByRole('button', { pressed: false })`,
    `getByRole('checkbox', { checked: true })`, `getByRole('checkbox', { checked: false })`, `getByRole('radio', { checked: true })`,
    `getByRole('option', { selected: true })`, `getByRole('heading', { level: 1 })`, `getByRole('heading', { level: 3 })`,
    `getByRole('link', { name: /^[A-Z]/ })`, `getByRole('button', { name: '' })`, `getByRole('link', { name: 'a' })`,
    `getByText('a')`, `getByText('the')`, `getByText(/^\\s*[A-Z]\\w+\\s*$/)`, `getByText(/\\d+/)`, `getByText('e', { exact: true })`,
    `getByLabel('e')`, `getByLabel(/a/i)`, `getByPlaceholder('e')`, `getByAltText('')`, `getByTitle('e')`, `getByTestId(/./)`,
    `locator('text=a')`, `locator('text="a"')`, `locator('text=/[aeiou]{2}/i')`, `locator('role=button')`, `locator('role=link[name=/e/i]')`,
    `locator('a:has-text("e")')`, `locator(':text("the")')`, `locator(':text-is("a")')`, `locator(':text-matches("^[A-Z]", "i")')`,
    `locator('div:has(> a)')`, `locator('div:not(:has(div))')`, `locator('li:is(:first-child, :last-child)')`, `locator(':nth-match(a, 2)')`,
    `locator('a, button, input')`, `locator('input:checked')`, `locator('input:disabled')`, `locator('option:checked')`, `locator(':empty')`,
    `locator('p:nth-of-type(2n+1)')`, `locator('div:nth-child(odd)')`, `locator('li:nth-last-child(2)')`, `locator('a[href^="#"]')`,
    `locator('[class*="btn"]')`, `locator('[type="TEXT"]')`, `locator('input:not([type])')`, `locator('[id]')`, `locator('label[for]')`,
    `locator('a:visible')`, `locator('button:visible')`, `locator('div:light(a)')`, `locator('svg *')`, `locator('svg')`,
    `locator('//a')`, `locator('//div[1]')`, `locator('(//div)[2]')`, `locator('//li[last()]')`, `locator('//*[@id]')`,
    `locator('//a[contains(@class, "a")]')`, `locator('//text()/..')`, `locator('xpath=//h1 | //h2')`, `locator('//p[normalize-space()]')`,
    `locator('//*[self::a or self::button][position() < 3]')`, `locator('//a/ancestor::div[1]')`, `locator('//li/following-sibling::li')`,
    `locator('div').locator('a')`, `locator('li').filter({ has: page.locator('a') })`, `locator('li').filter({ hasNot: page.locator('a') })`,
    `locator('li').filter({ hasText: 'a' })`, `locator('li').filter({ hasNotText: /a/ })`, `locator('a').filter({ visible: true })`,
    `locator('a').filter({ visible: false })`, `locator('a').and(page.getByRole('link'))`, `locator('h1').or(page.locator('h2'))`,
    `locator('div').nth(3)`, `locator('a').last()`, `locator('ul >> li >> nth=1')`, `locator('css=div >> text=a')`, `locator('body >> :scope > div')`,
    `locator('div >> ..')`, `locator('*css=li >> a')`, `locator('id=main')`, `locator('#none')`, `locator('a[')`, `locator('[data-x=1]')`,
    `locator('a::before')`, `locator('a:foo')`, `locator('div > > a')`, `locator(':has(a, button)').last()`, `locator('body').locator('xpath=./*')`,
    `locator('tr').filter({ has: page.getByRole('cell') }).first()`, `locator('form').getByRole('textbox')`,
  ];
}

function random(seed) {
  let state = [...seed].reduce((hash, c) => Math.imul(hash ^ c.charCodeAt(0), 16777619), 2166136261) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const q = text => JSON.stringify(text);
const css = text => text.replace(/[^\w-]/g, c => `\\${c}`).replace(/^(-?)(\d)/, (_, dash, digit) => `${dash}\\3${digit} `);
const word = (text, pick) => pick(text.split(/[^\p{L}\p{N}]+/u).filter(part => part.length > 1) ) ?? '';
const escape = text => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** About `count` locators for elements of the page, the same ones every time. */
export function generate(elements, count, seed) {
  const next = random(seed);
  const pick = list => list[Math.floor(next() * list.length)];
  const byLe = new Map(elements.filter(element => element.le !== null).map(element => [element.le, element]));
  const some = elements.filter(element => !['html', 'head', 'meta', 'script', 'link', 'style', 'title', 'noscript'].includes(element.tag));
  if (!some.length)
    return [];
  const found = new Set();
  for (let tries = 0; found.size < count && tries < count * 6; tries++) {
    const kind = pick(kinds);
    const locator = kind(pick(some), { pick, byLe, next });
    if (locator && locator.length < 500)
      found.add(locator);
  }
  return [...found];
}

/** Attributes that a snapshot changes or leaves out. */
const lost = element => element.tag === 'iframe' ? ['src', 'srcdoc', 'sandbox'] : Object.keys(element.attributes).filter(name => name.startsWith('on'));

const classOf = (element, pick) => pick((element.attributes.class ?? '').split(/\s+/).filter(Boolean));
const parentOf = (element, byLe) => byLe.get(element.parent);

function simple(element, { pick, next }) {
  const own = classOf(element, pick);
  const choices = [element.tag];
  if (own)
    choices.push(`.${css(own)}`, `${element.tag}.${css(own)}`);
  if (element.attributes.id)
    choices.push(`#${css(element.attributes.id)}`);
  const attribute = pick(Object.keys(element.attributes).filter(name => /^[a-z-]+$/.test(name) && ![...lost(element), 'data-le', 'style', 'd'].includes(name)));
  if (attribute) {
    const value = element.attributes[attribute];
    const part = word(value, pick);
    choices.push(`[${attribute}]`);
    if (value.length < 60 && !/["\\\n]/.test(value))
      choices.push(`${element.tag}[${attribute}="${value}"]`, `[${attribute}="${value.toUpperCase()}" i]`);
    if (part && !/["\\]/.test(part))
      choices.push(`[${attribute}*="${part}"]`, `[${attribute}^="${part}"]`, `[${attribute}$="${part}"]`, `[${attribute}~="${part}"]`);
  }
  return next() < 0.2 ? `${pick(choices)}:nth-child(${element.index})` : pick(choices);
}

const kinds = [
  (element, tools) => `locator(${q(simple(element, tools))})`,
  (element, tools) => {
    const parent = parentOf(element, tools.byLe);
    return parent && `locator(${q(`${simple(parent, tools)}${tools.pick([' ', ' > '])}${simple(element, tools)}`)})`;
  },
  (element, tools) => {
    const parent = parentOf(element, tools.byLe);
    const grand = parent && parentOf(parent, tools.byLe);
    return grand && `locator(${q(`${simple(grand, tools)} ${simple(parent, tools)} > ${simple(element, tools)}`)})`;
  },
  (element, tools) => {
    const parent = parentOf(element, tools.byLe);
    return parent && `locator(${q(`${simple(parent, tools)}:has(${tools.pick(['', '> '])}${simple(element, tools)})`)})`;
  },
  (element, tools) => `locator(${q(`${element.tag}:not(${simple(element, tools)})`)})`,
  (element, tools) => `locator(${q(`${simple(element, tools)}${tools.pick([' + ', ' ~ '])}*`)})`,
  (element, { pick }) => {
    const text = word(element.text, pick);
    return text && `locator(${q(`${element.tag}:has-text("${text}")`)})`;
  },
  (element, { pick }) => {
    const text = word(element.text, pick);
    return text && `getByText(${q(text)})`;
  },
  element => element.text && element.text.length < 80 && `getByText(${q(element.text)}, { exact: true })`,
  element => element.text && element.text.length < 80 && `getByText(${q(element.text.toUpperCase())})`,
  element => element.text && element.text.length < 80 && `locator(${q(`text="${element.text.replace(/["\\]/g, '\\$&')}"`)})`,
  (element, { pick }) => {
    const text = word(element.text, pick);
    return text && `getByText(/${tricky(escape(text), pick)}/${pick(['', 'i'])})`;
  },
  element => element.role && `getByRole(${q(element.role)}, { name: ${q(element.name)} })`,
  element => element.role && `getByRole(${q(element.role)}, { name: ${q(element.name)}, exact: true })`,
  element => element.role && element.name && `getByRole(${q(element.role)}, { name: ${q(element.name.toLowerCase())} })`,
  element => element.role && element.nameHidden && `getByRole(${q(element.role)}, { name: ${q(element.nameHidden)}, includeHidden: true })`,
  (element, { pick }) => {
    const text = word(element.name, pick);
    return element.role && text && `getByRole(${q(element.role)}, { name: /${escape(text)}/${pick(['', 'i'])} })`;
  },
  element => element.role && `locator(${q(`role=${element.role}`)})`,
  (element, { pick }) => {
    const name = pick(['placeholder', 'alt', 'title', 'aria-label'].filter(name => element.attributes[name]));
    const method = { placeholder: 'getByPlaceholder', alt: 'getByAltText', title: 'getByTitle', 'aria-label': 'getByLabel' }[name];
    return name && `${method}(${q(element.attributes[name])}${pick(['', ', { exact: true }'])})`;
  },
  element => element.tag === 'label' && element.text && `getByLabel(${q(element.text)})`,
  (element, tools) => {
    const text = word(element.text, tools.pick);
    return text && `locator(${q(simple(element, tools))}).filter({ ${tools.pick(['hasText', 'hasNotText'])}: ${q(text)} })`;
  },
  (element, tools) => {
    const parent = parentOf(element, tools.byLe);
    return parent && `locator(${q(simple(parent, tools))}).filter({ ${tools.pick(['has', 'hasNot'])}: page.locator(${q(simple(element, tools))}) })`;
  },
  (element, tools) => {
    const parent = parentOf(element, tools.byLe);
    return parent && `locator(${q(simple(parent, tools))}).locator(${q(simple(element, tools))}).${tools.pick(['first()', 'last()', 'nth(1)', 'nth(2)'])}`;
  },
  (element, tools) => {
    const parent = parentOf(element, tools.byLe);
    return parent?.role && element.role && `getByRole(${q(parent.role)}).getByRole(${q(element.role)})`;
  },
  (element, tools) => element.role && `locator(${q(simple(element, tools))}).${tools.pick(['and', 'or'])}(page.getByRole(${q(element.role)}))`,
  (element, tools) => `locator(${q(`${simple(element, tools)} >> ${tools.pick(['visible=true', 'nth=0', 'nth=-1', '..', 'xpath=.//*'])}`)})`,
  (element, { byLe }) => {
    let path = '';
    for (let at = element; at && !at.inShadow; at = parentOf(at, byLe))
      path = `/*[${at.index}]${path}`;
    return !element.inShadow && path && `locator(${q(`xpath=${path}`)})`;
  },
  (element, { pick }) => {
    const own = classOf(element, pick);
    return own && !/["']/.test(own) && `locator(${q(`//${element.tag}[contains(@class, "${own}")]`)})`;
  },
  (element, { pick }) => {
    const text = word(element.text, pick);
    return text && `locator(${q(`//${element.tag}[${pick(['contains(., ', 'contains(normalize-space(), ', 'starts-with(normalize-space(.), '])}"${text}")]`)})`;
  },
  (element, { pick }) => {
    const name = pick(Object.keys(element.attributes).filter(name => /^[a-z-]+$/.test(name) && name !== 'data-le'));
    const value = element.attributes[name];
    return name && value.length < 60 && !/["'\n]/.test(value) && `locator(${q(`//*[@${name}="${value}"]`)})`;
  },
];

/** The same pattern, written in another way. */
function tricky(source, pick) {
  return pick([source, `^${source}`, `${source}$`, `\\b${source}\\b`, `${source}\\s*`, `(${source}|never)`, `[^]*${source}`]);
}
