import type Docker from 'dockerode';

interface ProgressEvent {
  readonly error?: string;
  readonly stream?: string;
}

/** A build or a pull that takes longer than this is hung. Milliseconds. */
export const LONGEST_MS = 1_800_000;

/**
 * Resolves at the end of a build or pull; rejects with the error that its stream tells of.
 * @param printed gets the last lines that a build prints
 */
export function progress(docker: Docker, stream: NodeJS.ReadableStream, printed: string[] = []): Promise<void> {
  return new Promise((resolve, reject) => {
    let told: string | null = null;
    docker.modem.followProgress(
      stream,
      (error) => {
        if (error === null && told === null) resolve();
        else reject(error ?? new Error(told ?? ''));
      },
      (event: ProgressEvent) => {
        if (event.error !== undefined) told = event.error;
        if (event.stream !== undefined) printed.push(event.stream);
        if (printed.length > 200) printed.splice(0, 100);
      },
    );
  });
}
