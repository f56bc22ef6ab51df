import { expect, it } from 'vitest';
import { renderDiagram } from './render-diagram.js';
import { textOf } from './search-index.js';

const arrowsOf = (...lines: string[]) =>
  renderDiagram(lines.join('\n'))
    .split('<li>')
    .slice(1)
    .map((item) => textOf(item));

it('a Mermaid flowchart is rendered as a list of arrows with the names of its parts', () => {
  expect(
    arrowsOf(
      'flowchart LR',
      '  client([your program]) -- POST /v1/schedules --> api[API]',
      '  api -- "arm bell-&lt;slot&gt;" --> redis[(Redis)]',
      '  subgraph apps',
      '    worker["apps/worker<br/>the pipeline"]',
      '  end',
      '  api & redis --> worker',
    ),
  ).toEqual([
    'your program → API: POST /v1/schedules',
    'API → Redis: arm bell-<slot>',
    'API, Redis → apps/worker',
  ]);
});

it('Mermaid state and sequence diagrams are rendered as lists of arrows with their labels', () => {
  expect(arrowsOf('stateDiagram-v2', '  [*] --> active: created', '  active --> paused: pause')).toEqual([
    '• → active: created',
    'active → paused: pause',
  ]);
  expect(
    arrowsOf(
      'sequenceDiagram',
      'participant C as client',
      'C->>A: POST /v1',
      'Note over A: waits',
      'A-->>C: 201',
    ),
  ).toEqual(['client → A: POST /v1', 'waits', 'A → client: 201']);
});
