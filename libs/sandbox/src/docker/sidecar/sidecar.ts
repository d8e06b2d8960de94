import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { basename, dirname, posix } from 'node:path';
import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import { InfraError } from '@assay/failures';
import { helperLabels } from '../../labels';
import { answered } from '../bounded';
import { firstOf } from '../first-of';
import { Frames } from '../frames';
import { removeContainer } from '../remove-container';
import { NODE_INSIDE, PROGRAM_INSIDE } from './forwarder-image';

/** Port of the loopback interface on which a sandbox finds the gateway. */
export const GATEWAY_PORT = 8080;

/** Where the sidecar, and it alone, sees the folder of the gateway's socket. */
const SOCKET_DIR = '/run/model';

const MEBIBYTE = 1_048_576;
const READY_MS = 20_000;
const KEPT_OUTPUT = 2_000;

export interface SidecarPlan {
  readonly namespace: Namespace;
  readonly image: string;
  /** Path of the gateway's socket on the engine's host. */
  readonly socket: string;
  /** Milliseconds since 1970: after this any executor may remove it. */
  readonly deadline: number;
}

/**
 * A container that holds a network namespace with nothing but `lo`, and on it a port that leads to the gateway's socket.
 * It lives as long as this process holds its standard input: when we die, the engine closes it, the forwarder ends, and
 * the engine removes the container.
 */
export class Sidecar {
  private readonly onLost = new Set<() => void>();
  private lost = false;

  private constructor(
    private readonly container: Docker.Container,
    private readonly line: Socket,
    readonly socket: string,
    readonly deadline: number,
  ) {}

  /** @throws InfraError `gateway_sidecar_failed` when the forwarder does not listen in time */
  static async start(docker: Docker, plan: SidecarPlan): Promise<Sidecar> {
    const container = await answered(docker.createContainer(layout(plan)), 'prepare');
    try {
      const how = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
      const line = (await answered(container.attach(how), 'prepare')) as unknown as Socket;
      const sidecar = new Sidecar(container, line, plan.socket, plan.deadline);
      const ready = sidecar.listen();
      await answered(container.start(), 'prepare');
      await ready;
      return sidecar;
    } catch (error) {
      await removeContainer(container);
      throw error;
    }
  }

  get id(): string {
    return this.container.id;
  }

  get alive(): boolean {
    return !this.lost;
  }

  /** Calls back when it is lost; returns how to call that off. */
  whenLost(tell: () => void): () => void {
    this.onLost.add(tell);
    return () => this.onLost.delete(tell);
  }

  async remove(): Promise<void> {
    this.lose();
    this.line.destroy();
    await removeContainer(this.container);
  }

  /** Resolves when the forwarder says that it listens; from then on only its end is heard. */
  private async listen(): Promise<void> {
    let said = '';
    let hear: () => void = () => undefined;
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const frames = new Frames((chunk) => {
      if (said.length < KEPT_OUTPUT) said += chunk.toString('utf8');
      if (/^ready /m.test(said)) hear();
    });
    this.line.on('data', (chunk: Buffer) => {
      frames.push(chunk);
    });
    for (const event of ['end', 'close', 'error']) {
      this.line.once(event, () => {
        this.lose();
        hear();
      });
    }
    const end = await firstOf(heard, READY_MS);
    if (end !== 'ended' || this.lost) {
      throw new InfraError(`the way to the model gateway does not open: ${said.trim()}`, {
        code: 'gateway_sidecar_failed',
        phase: 'prepare',
        details: { socket: this.socket, said },
      });
    }
    // It may be held idle: no reason for this process to stay.
    this.line.unref();
  }

  private lose(): void {
    if (this.lost) return;
    this.lost = true;
    for (const tell of [...this.onLost]) tell();
  }
}

function layout({ namespace, image, socket, deadline }: SidecarPlan): Docker.ContainerCreateOptions {
  return {
    name: `${namespace}-gateway-${randomBytes(8).toString('hex')}`,
    Image: image,
    Entrypoint: [NODE_INSIDE],
    Cmd: [PROGRAM_INSIDE, String(GATEWAY_PORT), posix.join(SOCKET_DIR, basename(socket))],
    Labels: helperLabels(namespace, 'gateway', deadline),
    // Who may use the socket's folder is who made it.
    User: `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`,
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      AutoRemove: true,
      NetworkMode: 'none',
      // A closed connection of one trial would hold its port for a minute, against the next trial in this network.
      Sysctls: { 'net.ipv4.tcp_max_tw_buckets': '0' },
      Mounts: [{ Type: 'bind', Source: dirname(socket), Target: SOCKET_DIR, ReadOnly: true }],
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 64,
      Memory: 256 * MEBIBYTE,
      MemorySwap: 256 * MEBIBYTE,
      NanoCpus: 1e9,
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
