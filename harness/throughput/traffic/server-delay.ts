/** What a server does for each unit before it answers: a fault. */
export interface ServerDelay {
  readonly kind: 'sleeps' | 'works';
  readonly microseconds: number;
}
