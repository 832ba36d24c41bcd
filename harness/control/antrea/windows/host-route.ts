export interface HostRoute {
  readonly destination: string;
  /** The next hop; `on-link` where the destination itself is the neighbour. */
  readonly via: string;
  readonly interface: string;
  /** For whom it is: it goes with it. */
  readonly purpose:
    | { readonly kind: 'local subnet' | 'virtual service address' | 'services' }
    | { readonly kind: 'node'; readonly name: string };
}
