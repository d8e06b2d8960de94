import { request } from 'node:http';

/** Null when a Docker engine answers on its local socket, else why not. */
export function missingDocker(socket = '/var/run/docker.sock'): Promise<string | null> {
  return new Promise((resolve) => {
    const call = request({ socketPath: socket, path: '/_ping', timeout: 2_000 }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? null : `the Docker engine answers ${String(answer.statusCode)}`);
    });
    call.once('timeout', () => call.destroy(new Error('no answer within 2 s')));
    call.once('error', (error) => {
      resolve(`no Docker engine at ${socket}: ${error.message}`);
    });
    call.end();
  });
}
