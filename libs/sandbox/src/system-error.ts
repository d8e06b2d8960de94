/** The code of a system call's error (`ENOENT`), whatever realm its class is of; null for anything else. */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
