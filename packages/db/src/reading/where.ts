/** Collects the conditions of a statement with their parameters: only what is asked for is in it, so that it can be planned. */
export class Where {
  readonly values: unknown[];
  readonly #conditions: string[] = [];

  constructor(...values: unknown[]) {
    this.values = values;
  }

  /** `condition` is given the placeholder of the value. A value that is absent adds nothing. */
  add(value: unknown, condition: (placeholder: string) => string): this {
    if (value === undefined || value === null) return this;
    this.#conditions.push(condition(this.place(value)));
    return this;
  }

  always(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }

  place(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  get sql(): string {
    return this.#conditions.join(' and ');
  }
}
