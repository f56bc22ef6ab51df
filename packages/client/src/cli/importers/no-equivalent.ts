/** A remark that a setting has no equivalent in Carillon. */
export const noEquivalent = (setting: string, instead: string) => `has no equivalent: ${setting}; ${instead}`;

/** Returns one remark that lists all settings except those in `used`. Returns no remark if no other setting is set. */
export function unusedSettings(
  settings: Readonly<Record<string, unknown>>,
  used: readonly string[],
  instead: string,
): string[] {
  const names = Object.entries(settings)
    .filter(([name, value]) => !used.includes(name) && value !== null && value !== undefined)
    .map(([name, value]) => (typeof value === 'object' ? name : `${name} ${String(value)}`));
  return names.length === 0 ? [] : [noEquivalent(names.join(', '), instead)];
}
