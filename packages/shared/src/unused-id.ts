/**
 * Makes an id of a name: `cron-backup`, and `cron-backup-2` if that one is taken. The same names in the same order give
 * the same ids, so that a repeated import finds its schedules again. Adds the id to `taken`.
 */
export function unusedId(name: string, taken: Set<string>): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 100)
    .replace(/^-+|-+$/g, '');
  let id = slug;
  for (let times = 2; taken.has(id); times++) id = `${slug}-${times}`;
  taken.add(id);
  return id;
}
