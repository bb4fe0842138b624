// Remakes the derived tables beside this file:
//
//   npm pack @tabler/icons@3.52.0 && tar xzf tabler-icons-3.52.0.tgz          (MIT)
//   apt-get download wordnet-base && dpkg -x wordnet-base_*.deb wordnet       (WordNet licence)
//   node make-tables.mjs package/icons.json wordnet/usr/share/wordnet
//
// icon-tags.txt  one icon a line: the terms it is tagged with. Two terms mean the same as far as they share icons.
// antonyms.txt   one pair a line, in alphabetical order: WordNet's antonym links between single words.
import fs from 'node:fs';
import path from 'node:path';

const [icons, wordnet] = process.argv.slice(2);
if (!icons || !wordnet) throw new Error('usage: node make-tables.mjs icons.json wordnet-directory');
const here = import.meta.dirname;
const term = text => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
const write = (name, notice, lines) =>
  fs.writeFileSync(path.join(here, name), [...notice.map(line => `# ${line}`.trimEnd()), ...lines, ''].join('\n'));

const tags = Object.entries(JSON.parse(fs.readFileSync(icons, 'utf8'))).map(([name, icon]) => {
  const own = term(name.replace(/-(filled|off|\d+)$/, ''));
  const all = [own, ...icon.tags.map(tag => term(String(tag)))];
  return [...new Set(all)].filter(t => t.length > 1 && /\p{L}/u.test(t)).sort();
}).filter(list => list.length > 1);
write('icon-tags.txt', [
  'Search tags of the Tabler icons (https://tabler.io/icons, @tabler/icons 3.52.0), reduced to terms by make-tables.mjs.',
  '', 'MIT License. Copyright (c) 2020-2026 Paweł Kuna.',
  'Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated',
  'documentation files (the "Software"), to deal in the Software without restriction, including without limitation the',
  'rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit',
  'persons to whom the Software is furnished to do so, subject to the following conditions: The above copyright notice',
  'and this permission notice shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS',
  'PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF',
  'MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT',
  'HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,',
  'ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.',
], [...new Set(tags.map(list => list.join(',')))].sort());

const synsets = new Map();
for (const part of ['noun', 'verb', 'adj', 'adv']) {
  for (const line of fs.readFileSync(path.join(wordnet, `data.${part}`), 'utf8').split('\n')) {
    if (!/^\d{8} /.test(line)) continue;
    const f = line.split(' | ')[0].trim().split(' ');
    const words = parseInt(f[3], 16);
    const list = Array.from({ length: words }, (_, i) => f[4 + 2 * i].replace(/\(.*\)$/, '').replaceAll('_', ' ').toLowerCase());
    const pointers = [];
    let at = 4 + 2 * words;
    for (let n = Number(f[at++]); n > 0; n--, at += 4) pointers.push(f.slice(at, at + 4));
    synsets.set({ n: 'n', v: 'v', a: 'a', s: 'a', r: 'r' }[f[2]] + f[0], { list, pointers });
  }
}
const pairs = new Set();
for (const { list, pointers } of synsets.values()) {
  for (const [symbol, offset, pos, ends] of pointers) {
    if (symbol !== '!') continue;
    const other = synsets.get((pos === 's' ? 'a' : pos) + offset);
    const from = parseInt(ends.slice(0, 2), 16), to = parseInt(ends.slice(2), 16);
    const pair = [list[from - 1], other?.list[to - 1]];
    if (pair.every(word => word && /^[a-z]+( [a-z]+)?$/.test(word))) pairs.add(pair.sort().join(','));
  }
}
write('antonyms.txt', [
  'Antonym links of WordNet 3.0 (https://wordnet.princeton.edu), reduced to word pairs by make-tables.mjs.',
  '', 'WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.',
  'This software and database is being provided to you, the LICENSEE, by Princeton University under the following license.',
  'By obtaining, using and/or copying this software and database, you agree that you have read, understood, and will comply',
  'with these terms and conditions: Permission to use, copy, modify and distribute this software and database and its',
  'documentation for any purpose and without fee or royalty is hereby granted, provided that you agree to comply with the',
  'following copyright notice and statements, including the disclaimer, and that the same appear on ALL copies of the',
  'software, database and documentation, including modifications that you make for internal use or for distribution.',
  'THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS',
  'OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF',
  'MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION',
  'WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS.',
  'The name of Princeton University or Princeton may not be used in advertising or publicity pertaining to distribution of',
  'the software and/or database. Title to copyright in this software, database and any associated documentation shall at all',
  'times remain with Princeton University and LICENSEE agrees to preserve same.',
], [...pairs].sort());
