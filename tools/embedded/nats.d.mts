export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
  kill(): Promise<void>;
}
export function givenNatsServer(env?: NodeJS.ProcessEnv): Promise<{ binary: string; version: string } | null>;
export function findNatsServer(options?: {
  cacheDir?: string;
  note?: (line: string) => void;
  signal?: AbortSignal;
}): Promise<{ binary: string; version: string }>;
export function startNats(options: {
  binary: string;
  storeDir: string;
  port?: number;
  detached?: boolean;
}): Promise<NatsServer>;
