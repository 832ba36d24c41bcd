/** By the bits of ct_state (ovs-fields(7)), as `--ct` takes them. */
const stateNames = ['new', 'est', 'rel', 'rpl', 'inv', 'trk', 'snat', 'dnat'] as const;

/** What the tracker says, as an option of ovn-trace(8). */
export function ctOption(state: number): string {
  return `--ct=${stateNames.filter((_, bit) => (state & (1 << bit)) !== 0).join(',')}`;
}
