export function dockerBase(options?: {
  configured?: string;
  note?: (line: string) => void;
}): Promise<{ image: string } | { missing: string }>;
export function missingEngine(): Promise<string | null>;
