// Finds the names of tests in a source text: the first argument of `it`, `test` and `describe`, also behind modifiers.

/**
 * The start of a call, with its modifiers. Only the listed modifiers match, because `test` may also be the name of a
 * variable whose other methods are called.
 */
const CALL =
  /(?<![.\w$'"`])(it|test|describe)((?:\.(?:each|for|only|skip|skipIf|runIf|concurrent|sequential|fails|todo)\b)*)(?=[(<])/g;
/** Modifiers that are called themselves, such as `each(…)`, before the call that has the name. */
const CALLED = /\.(?:each|for|skipIf|runIf)$/;
/** The type arguments of a call, as in `it.each<[string, number]>(`. */
const TYPES = /<[\s\S]*?>(?=\()/y;
/** After one of these characters, a slash begins a regular expression. */
const BEFORE_EXPRESSION = /[(,=:[!&|?{};>]$/;
const STRING = /(['"`])((?:\\.|(?!\1)[^\\])*)\1/y;

/** Returns the line and the name of each test; the name is null if it cannot be read from the text. */
export function testNames(text) {
  const names = [];
  for (const match of text.matchAll(CALL)) {
    let [, kind, modifiers] = match;
    let at = match.index + match[0].length;
    while (CALLED.test(modifiers)) {
      TYPES.lastIndex = at;
      at += TYPES.exec(text)?.[0].length ?? 0;
      at = skipBrackets(text, at);
      [modifiers] = /^(?:\.\w+)*/.exec(text.slice(at));
      at += modifiers.length;
    }
    if (text[at] !== '(') continue;
    const name = readText(text, at + 1);
    const isRequired = kind !== 'describe';
    if (name !== null || isRequired) names.push({ line: lineOf(text, match.index), name });
  }
  return names;
}

/** The text at a position: literals and templates, also if they are joined by `+`, or a constant of the file. */
function readText(text, from) {
  const parts = [];
  for (let at = from; ; ) {
    at += /^(?:\s|\/\/.*\n)*/.exec(text.slice(at))[0].length;
    STRING.lastIndex = at;
    const string = text[at] === '`' ? readTemplate(text, at) : STRING.exec(text)?.[0];
    if (string === undefined) return parts.length > 0 ? parts.join('') : readConstant(text, at);
    parts.push(string.slice(1, -1));
    at += string.length;
    const joined = /^\s*\+/.exec(text.slice(at));
    if (!joined) return parts.join('');
    at += joined[0].length;
  }
}

const readTemplate = (text, at) => text.slice(at, skipString(text, at));

function readConstant(text, at) {
  const [name] = /^[A-Za-z_$][\w$]*(?=\s*[,)])/.exec(text.slice(at)) ?? [];
  const declaration =
    name && new RegExp(`\\bconst ${name.replaceAll('$', '\\$')} =\\s*(?=['"\`])`).exec(text);
  return declaration ? readText(text, declaration.index + declaration[0].length) : null;
}

/** Returns the position behind the brackets that open at a position. */
function skipBrackets(text, from) {
  let depth = 0;
  for (let at = from; at < text.length; ) {
    const char = text[at];
    if (char === "'" || char === '"' || char === '`') at = skipString(text, at);
    else if (text.startsWith('//', at)) at = text.indexOf('\n', at);
    else if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 2;
    else if (char === '/' && BEFORE_EXPRESSION.test(text.slice(from, at).trimEnd())) at = skipRegex(text, at);
    else {
      if ('([{'.includes(char)) depth++;
      if (')]}'.includes(char)) depth--;
      at++;
      if (depth === 0) return at;
    }
  }
  return text.length;
}

/** Returns the position behind a string or a template. A template may hold expressions with strings of their own. */
function skipString(text, from) {
  const quote = text[from];
  for (let at = from + 1; at < text.length; ) {
    if (text[at] === '\\') at += 2;
    else if (text[at] === quote) return at + 1;
    else if (quote === '`' && text.startsWith('${', at)) at = skipBrackets(text, at + 1);
    else at++;
  }
  return text.length;
}

function skipRegex(text, from) {
  const [regex] = /^\/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[\n])+\//.exec(text.slice(from)) ?? ['/'];
  return from + regex.length;
}

const lineOf = (text, index) => text.slice(0, index).split('\n').length;
