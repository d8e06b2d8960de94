export function dockerBase(options?: {
  configured?: string;
  note?: (line: string) => void;
  signal?: AbortSignal;
}): Promise<{ image: string } | { missing: string }>;
export function missingEngine(): Promise<string | null>;
export function engineSize(): Promise<{ cpus: number; memoryMb: number }>;
