const STYLE = `
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #5b6470; --line: #dfe3e8; --paper: #fff; --tint: #f5f7f9; --accent: #9a5b12;
  --get: #1f6f4a; --post: #1d4f91; --patch: #8a5a00; --delete: #a32020; --put: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #9aa4b0; --line: #30363d; --paper: #14171b; --tint: #1b1f24; --accent: #e0a458;
  --get: #5fc795; --post: #7db1f5; --patch: #e2b04a; --delete: #f08a8a; --put: #e2b04a } }
* { box-sizing: border-box }
body { margin: 0; font: 15px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
a { color: var(--accent); text-decoration: none } a:hover { text-decoration: underline }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, monospace }
pre { background: var(--tint); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px; overflow: auto; margin: 8px 0 }
h1 { font-size: 26px; margin: 0 0 8px } h2 { font-size: 20px; margin: 40px 0 4px; padding-top: 12px; border-top: 1px solid var(--line) }
h3 { font-size: 16px; margin: 28px 0 4px } h4 { font-size: 13px; margin: 14px 0 2px; color: var(--soft); font-weight: 600 }
table { border-collapse: collapse; width: 100%; margin: 4px 0 } td, th { text-align: left; vertical-align: top; padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line) }
td:first-child { white-space: nowrap } .soft { color: var(--soft) }
`;

export const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A whole HTML page without external resources. */
export function layout({ title, style = '', body }: { title: string; style?: string; body: string }): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}${style}</style></head>
<body>${body}</body></html>`;
}
