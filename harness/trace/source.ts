/** A text and the file it comes from, for complaints. */
export interface Source {
  readonly text: string;
  readonly file: string;
}
