// The script of the guide: search, the position of the menu, and a button that copies a block of code. The pages work
// without it.

const { root, search: indexUrl } = document.documentElement.dataset;
const box = document.querySelector('search');
const input = box?.querySelector('input');
const list = box?.querySelector('ol');

const MAX_RESULTS = 12;
/** Characters of text before and after the first word that was found. */
const EXCERPT_CHARACTERS = 60;
let index = null;

if (box && input && list) {
  box.hidden = false;
  input.addEventListener('focus', load, { once: true });
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') focusResult(event, 0);
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'Escape') close();
  });
  list.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')];
    const at = links.indexOf(document.activeElement);
    if (event.key === 'ArrowDown') focusResult(event, at + 1);
    if (event.key === 'ArrowUp') at === 0 ? input.focus() : focusResult(event, at - 1);
    if (event.key === 'Escape') close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement)
      return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) list.hidden = true;
  });
}

async function load() {
  const response = await fetch(indexUrl);
  index = (await response.json()).map((entry) => ({
    ...entry,
    heads: `${entry.page} ${entry.heading}`.toLowerCase(),
    lower: entry.text.toLowerCase(),
  }));
  show();
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (index === null || words.length === 0) {
    list.hidden = true;
    return;
  }
  const matchingEntries = index
    .filter(({ heads, lower }) => words.every((word) => heads.includes(word) || lower.includes(word)))
    .map((entry) => ({ entry, hits: words.filter((word) => entry.heads.includes(word)).length }))
    .toSorted((a, b) => b.hits - a.hits)
    .slice(0, MAX_RESULTS);
  list.replaceChildren(...matchingEntries.map(({ entry }) => toItem(entry, words)));
  if (matchingEntries.length === 0) list.append(textElement('li', 'No page has these words.'));
  list.hidden = false;
}

function toItem({ page, heading, url, text, lower }, words) {
  const link = document.createElement('a');
  link.href = root + url;
  link.append(textElement('b', heading === page || heading === '' ? page : `${page}: ${heading}`));
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)));
  const begin = Math.max(0, at - EXCERPT_CHARACTERS);
  link.append(
    textElement(
      'span',
      `${begin > 0 ? '…' : ''}${text.slice(begin, at + EXCERPT_CHARACTERS)}${text ? '…' : ''}`,
    ),
  );
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function focusResult(event, at) {
  event.preventDefault();
  list.querySelectorAll('a')[at]?.focus();
}

function close() {
  list.hidden = true;
  input.focus();
}

function textElement(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

// The menu is long, so it is scrolled until the link of this page is in its middle.
const menu = document.querySelector('.pages');
const here = menu?.querySelector('[aria-current]');
if (here) menu.scrollTop = here.offsetTop - menu.clientHeight / 2;

for (const block of document.querySelectorAll('pre')) {
  if (!navigator.clipboard) break;
  const button = textElement('button', 'Copy');
  button.type = 'button';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
  });
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
}
