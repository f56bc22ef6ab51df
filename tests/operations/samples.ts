/** The samples of a text in the Prometheus format. Each key is the name with its labels, as written in the text. */
export class Samples {
  readonly #values = new Map<string, number>();

  set(name: string, value: number): void {
    this.#values.set(name, value);
  }

  get(name: string): number | undefined {
    return this.#values.get(name);
  }

  /** The sum of all samples with this name, whatever their labels. */
  sumOf(name: string): number {
    let sum = 0;
    for (const [key, value] of this.#values) if (key === name || key.startsWith(`${name}{`)) sum += value;
    return sum;
  }
}

export function readSamples(text: string): Samples {
  const samples = new Samples();
  for (const [, name = '', value] of text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm))
    samples.set(name, Number(value));
  return samples;
}
