/** One thing that the server does until it is stopped. */
export interface Part {
  start(): void;
  /** Takes nothing new and waits up to `graceMs` for what runs. Never rejects because of the connection. */
  stop(graceMs: number): Promise<void>;
}
