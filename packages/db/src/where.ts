import type { Values } from './statement.js';

/**
 * Collects the conditions of a list's `where` clause. Only filters that the request names get a condition, so that the
 * planner can choose an index for them.
 */
export class Where {
  readonly parameters: Values = {};
  readonly #conditions: string[] = [];
  readonly #searched: string[] = [];

  /** Adds a condition that needs no parameter, or whose parameters are added elsewhere. */
  always(condition: string): this {
    this.#conditions.push(condition);
    return this;
  }

  /** Adds a condition on the parameter `:name`, unless the value is absent. */
  add(name: string, value: unknown, condition: string): this {
    if (value === undefined || value === null) return this;
    this.parameters[name] = value;
    return this.always(condition);
  }

  /**
   * Adds a condition on a text or a tag. Such a condition has an index of its own, which quickly finds matches that are
   * rare.
   */
  search(condition: string): this {
    this.#searched.push(condition);
    return this;
  }

  /** Adds a parameter that a condition mentions; returns its placeholder. */
  parameter(name: string, value: unknown): string {
    this.parameters[name] = value;
    return `:${name}`;
  }

  /** The conditions that were added by `search`. */
  get searched(): string {
    return this.#searched.join(' and ');
  }

  /** All conditions except those that were added by `search`. */
  get others(): string {
    return this.#conditions.join(' and ');
  }

  /** All conditions. */
  get sql(): string {
    return [...this.#conditions, ...this.#searched].join(' and ');
  }
}
