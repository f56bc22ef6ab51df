import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import json from 'highlight.js/lib/languages/json';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';

const LANGUAGES = { bash, dockerfile, json, sql, typescript, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

const ALIASES: Record<string, keyof typeof LANGUAGES> = {
  sh: 'bash',
  ts: 'typescript',
  js: 'typescript',
  yaml: 'yaml',
  sql: 'sql',
  json: 'json',
  dockerfile: 'dockerfile',
};

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Colours code by classes. Inline styles would be refused by the content security policy. */
export function highlight(code: string, language: string): string {
  const known = ALIASES[language];
  return known ? hljs.highlight(code, { language: known }).value : escapeHtml(code);
}
