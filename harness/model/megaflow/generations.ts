/** How often things have changed that translations depend on. */
export interface Generations {
  /** Flows, groups, links. */
  program: number;
  /** Who is behind which port, or known on an underlay. */
  learned: number;
}
