/** A remark that a setting has no equivalent in Carillon. */
export const noEquivalent = (setting: string, instead: string) => `has no equivalent: ${setting}; ${instead}`;

/** Returns one remark for all settings of an object that are set but not `used`, or none. */
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
