import { ExitError } from '../output';

export interface SandboxChoice {
  readonly sandbox: 'docker' | 'process';
  /** Base image of the example tasks; null in the process sandbox, and where every task brings its own image. */
  readonly baseImage: string | null;
}

/** How a choice is made. */
export interface Choosing {
  readonly note: (line: string) => void;
  /** Ends the fetching or making of an image. */
  readonly signal: AbortSignal;
}

/**
 * Docker when an engine answers and the base image is there or can be had; else child processes, with a warning.
 * Throws ExitError when docker was asked for, or a base image was named, and cannot be used.
 */
export async function chooseSandbox(
  wanted: 'docker' | 'process' | null,
  { note, signal }: Choosing,
): Promise<SandboxChoice> {
  if (wanted === 'process') return { sandbox: 'process', baseImage: null };
  const { dockerBase } = await import('@assay-tools/images/choose');
  const configured = process.env['ASSAY_BASE_IMAGE'] ?? '';
  const found = await dockerBase({ note, signal, ...(configured === '' ? {} : { configured }) });
  if ('image' in found) return { sandbox: 'docker', baseImage: found.image };
  if (wanted === 'docker') throw new ExitError(1, `--sandbox docker: ${found.missing}`);
  if (configured !== '') {
    const expected = 'expected an image that Docker has or can pull';
    throw new ExitError(1, `ASSAY_BASE_IMAGE: ${expected}, got ${JSON.stringify(configured)}: ${found.missing}`);
  }
  note(
    `warning: ${found.missing}; trials run as plain child processes, which do not contain untrusted code ` +
      '(fine for the demo, refused for suites that publish a score)',
  );
  return { sandbox: 'process', baseImage: null };
}

/** Docker without a base image, for tasks that bring their own. Throws ExitError when no engine answers. */
export async function dockerAlone(): Promise<SandboxChoice> {
  const { missingEngine } = await import('@assay-tools/images/choose');
  const missing = await missingEngine();
  if (missing !== null) throw new ExitError(1, `the suite needs Docker: ${missing}`);
  return { sandbox: 'docker', baseImage: null };
}
