/** Ports that flows name, and of which no dump has the numbers. */

/**
 * Gives a number to each name that is asked for, the first that `taken` has not. What is asked for
 * first gets the lowest.
 */
export class AssignedPorts extends Map<string, number> {
  readonly #taken: Set<number>;

  constructor(taken: Iterable<number>) {
    super();
    this.#taken = new Set(taken);
  }

  /** Takes back the numbers of all names but the first `size`. */
  forgetBeyond(size: number): void {
    for (const [name, number] of [...this].slice(size)) {
      this.delete(name);
      this.#taken.delete(number);
    }
  }

  override get(name: string): number {
    const known = super.get(name);
    if (known !== undefined) return known;
    let number = 1;
    while (this.#taken.has(number)) number++;
    this.#taken.add(number);
    this.set(name, number);
    return number;
  }
}
