/** A text and the file it comes from, for complaints. */
export interface TextSource {
  readonly text: string;
  readonly file: string;
}
