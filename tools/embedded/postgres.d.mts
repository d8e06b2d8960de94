export interface PostgresServer {
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  stop(): Promise<void>;
}
export function startPostgres(options: {
  dataDir: string;
  port?: number;
  fast?: boolean;
  detached?: boolean;
  onMoved?: (dir: string) => void;
}): Promise<PostgresServer>;
