import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(`${root}/docs/architecture.md`, 'utf8');
const [, diagram = ''] = page.split('```mermaid\n');
const [flowchart = ''] = diagram.split('```');

/** The folder of each node of the diagram, such as `packages/db`. */
const folders = new Map(
  [...flowchart.matchAll(/(\w+)\["((?:packages|apps)\/[\w-]+)</g)].map(([, node = '', folder = '']) => [
    node,
    folder,
  ]),
);

/** For each folder, the folders that have an arrow to it. */
const arrows = new Map<string, Set<string>>([...folders.values()].map((folder) => [folder, new Set()]));
for (const [, from = '', to = ''] of flowchart.matchAll(/^ {2}([\w &]+) --> ([\w &]+)$/gm))
  for (const target of to.split(' & '))
    for (const source of from.split(' & ')) arrows.get(folderOf(target))?.add(folderOf(source));

function folderOf(node: string): string {
  const folder = folders.get(node);
  if (folder === undefined) throw new Error(`the diagram has no node ${node}`);
  return folder;
}

/** Returns every folder from which arrows lead to the given folder, directly or by way of other folders. */
function mayImport(folder: string): Set<string> {
  const reached = new Set<string>();
  const visit = (each: string) => {
    for (const source of arrows.get(each) ?? []) {
      if (reached.has(source)) continue;
      reached.add(source);
      visit(source);
    }
  };
  visit(folder);
  return reached;
}

const FILE = /\.(tsx?|mjs)$/;
const IMPORT = /\b(?:from|import)\s*\(?\s*'(?:@carillon\/)?(\w[\w-]*)(?:\/[\w./-]+)?'/g;

/** Returns the folders of our own packages that the source files of the given folder import. */
async function importsOf(folder: string): Promise<Set<string>> {
  const imported = new Set<string>();
  for (const file of await readdir(`${root}/${folder}/src`, { recursive: true })) {
    if (!FILE.test(file) || /\.test\.tsx?$/.test(file)) continue;
    const text = await readFile(`${root}/${folder}/src/${file}`, 'utf8');
    for (const [statement, name = ''] of text.matchAll(IMPORT)) {
      if (!statement.includes("'@carillon/") && name !== 'carillon') continue;
      const target = [...folders.values()].find((each) => each.endsWith(`/${name}`));
      imported.add(target ?? `the unknown package ${name}`);
    }
  }
  imported.delete(folder);
  return imported;
}

it('a package or app imports another package only if arrows in docs/architecture.md lead from that package to it', async () => {
  expect(folders.size).toBeGreaterThan(13);
  const against: string[] = [];
  let imports = 0;
  for (const folder of folders.values()) {
    const allowed = mayImport(folder);
    for (const imported of await importsOf(folder)) {
      imports++;
      if (!allowed.has(imported)) against.push(`${folder} imports ${imported}`);
    }
  }
  expect(imports).toBeGreaterThan(20);
  expect(against).toEqual([]);
});

it('the diagram in docs/architecture.md shows every package and app', async () => {
  const drawn = [...folders.values()];
  const existing: string[] = [];
  for (const parent of ['apps', 'packages'])
    for (const entry of await readdir(`${root}/${parent}`, { withFileTypes: true }))
      if (entry.isDirectory()) existing.push(`${parent}/${entry.name}`);
  expect(drawn.sort()).toEqual(existing.sort());
});
