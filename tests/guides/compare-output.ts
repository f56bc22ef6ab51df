/** Parts of an output that differ from one run to the next. */
const VARIES: [RegExp, string][] = [
  [/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?/g, '‹time›'],
  [/\b\d+(?:\.\d+)? ?m?s\b/g, '‹duration›'],
  [/\brun_\w+/g, '‹run›'],
  [/(?<=127\.0\.0\.1):\d+/g, ''],
  [/[ \t]+/g, ' '],
];

const linesOf = (text: string) =>
  VARIES.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/**
 * True if the output has the expected lines in their order. There may be other lines between them. Times, durations and
 * ids may differ, and `…` in an expected line stands for any text.
 */
export function hasOutput(output: string, expected: string): boolean {
  const lines = linesOf(output);
  let at = 0;
  return linesOf(expected).every((line) => {
    if (line === '…') return true;
    const pattern = new RegExp(`^${line.split('…').map(escapePattern).join('.*')}$`);
    const lineIndex = lines.findIndex((each, index) => index >= at && pattern.test(each));
    at = lineIndex + 1;
    return lineIndex >= 0;
  });
}

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
