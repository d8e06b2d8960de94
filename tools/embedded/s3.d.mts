export interface S3Server {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
  kill(): Promise<void>;
}
export function findS3Server(options?: {
  cacheDir?: string;
  note?: (line: string) => void;
  signal?: AbortSignal;
}): Promise<string>;
export function startS3(options: {
  binary: string;
  dir: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  port?: number;
}): Promise<S3Server>;
