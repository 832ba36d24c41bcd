/** An API server that runs; what it says goes over HTTP. */
export interface StartedApi {
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}
