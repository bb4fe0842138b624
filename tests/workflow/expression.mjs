// The expressions of GitHub's workflows, as far as ours have them. What is not known here is an error: a wrong name fails a test.

// A string, a name with what is below it, a number, a sign (or what is below a call).
const NAME = String.raw`[A-Za-z_][\w-]*`;
const SIGN = String.raw`&&|\|\||==|!=|>|!|\(|\)|,|\.${NAME}|\[\d+\]`;
const TOKEN = new RegExp(String.raw`\s*(?:('(?:[^']|'')*')|(${NAME}(?:\.${NAME}|\[\d+\])*)|(\d+)|(${SIGN}))`, 'y');
const STATUS = ['always', 'cancelled'];

const functions = {
  always: () => true,
  cancelled: () => false,
  fromJSON: text => JSON.parse(text),
  format: (text, ...words) => text.replace(/\{(\d+)\}/g, (_, at) => words[at]),
};

/** A property that must be there; an item of a list need not. */
function property(value, name, path) {
  if (value === null || value === undefined || !(name in Object(value))) {
    if (/^\d+$/.test(name)) return null;
    throw new Error(`no ${name} in ${path}`);
  }
  return value[name];
}

function script(expression) {
  let code = '';
  TOKEN.lastIndex = 0;
  const text = expression.trim();
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) throw new Error(`cannot read the expression: ${expression}`);
    const [, string, name, number, sign] = match;
    if (string) code += JSON.stringify(string.slice(1, -1).replaceAll("''", "'"));
    else if (number) code += number;
    // What follows a call belongs to its value; ours have such a call at the beginning only.
    else if (sign?.match(/^[.[]/)) code = get(code, sign.replace(/[.[\]]/g, ''));
    else if (sign) code += sign;
    else if (['true', 'false', 'null'].includes(name)) code += name;
    else if (text[TOKEN.lastIndex] === '(') code += `call.${name}`;
    else code += name.split(/[.[\]]+/).filter(Boolean).reduce(get, 'contexts');
  }
  return code;
}

const get = (code, name) => `get(${code}, ${JSON.stringify(name)})`;

/** The value of one expression. */
export function evaluate(expression, contexts) {
  const get = (value, name) => property(value, name, expression);
  const none = name => () => { throw new Error(`no function ${name}`); };
  const call = new Proxy(functions, { get: (all, name) => all[name] ?? none(name) });
  return new Function('contexts', 'get', 'call', `return (${script(expression)});`)(contexts, get, call);
}

/** A text with its expressions filled in; of a text that is nothing but an expression its value. */
export function fill(value, contexts) {
  if (Array.isArray(value)) return value.map(one => fill(one, contexts));
  if (value && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, contexts)]));
  }
  if (typeof value !== 'string') return value;
  const whole = /^\$\{\{((?:(?!\}\}).)*)\}\}$/s.exec(value.trim());
  if (whole) return evaluate(whole[1], contexts);
  return value.replace(/\$\{\{(.*?)\}\}/gs, (_, one) => String(evaluate(one, contexts) ?? ''));
}

/** Whether a job or a step is to run: `ok` says whether all before it went well. */
export function wanted(condition, contexts, ok) {
  if (condition === undefined) return ok;
  const text = String(condition).replace(/^\$\{\{(.*)\}\}$/s, '$1');
  const asks = STATUS.some(name => text.includes(`${name}()`));
  return (asks || ok) && Boolean(evaluate(text, contexts));
}
