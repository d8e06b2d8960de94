import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type Docker from 'dockerode';
import type { Namespace } from '@assay/contracts';
import { helperLabels } from '../../labels';
import { answered } from '../bounded';
import { firstOf } from '../first-of';
import { Frames } from '../frames';
import { removeContainer } from '../remove-container';
import { NODE_INSIDE } from '../sidecar/forwarder-image';
import { ENGINE_INSIDE, HELD_FILES } from './held-files.script';

const MEBIBYTE = 1_048_576;

/** It ends with this process; what is left of it all the same is reaped after this. Milliseconds. */
const LIFE_MS = 86_400_000;

/** What a look may take on a host under load. Milliseconds. */
const ANSWER_MS = 30_000;

/** The engine's disk and what containers hold on it, at one moment. */
export interface DiskSight {
  /** What an ordinary user may still write. Bytes. */
  readonly freeBytes: number;
  /** By container id; one without processes is not there. */
  readonly held: Readonly<Record<string, HeldFiles | undefined>>;
}

export interface HeldFiles {
  /** Blocks of files without a name that its processes have open or mapped. Bytes. */
  readonly bytes: number;
  /** It has open files where they cannot be weighed. */
  readonly hides: boolean;
}

/**
 * A container of ours that sees the processes of the engine's host and weighs what they hold (`HELD_FILES`). It lives as
 * long as this process holds its standard input.
 */
export class DiskLooker {
  private said = '';
  private over = false;
  private turn: Promise<unknown> = Promise.resolve();
  private hear: () => void = () => undefined;

  private constructor(
    private readonly container: Docker.Container,
    private readonly line: Socket,
    /** The engine's own folder on its host. */
    private readonly root: string,
  ) {}

  /** @param image holds Node where the forwarder's image has it */
  static async start(docker: Docker, namespace: Namespace, image: string): Promise<DiskLooker> {
    const { DockerRootDir: root } = (await answered(docker.info(), 'agent')) as { DockerRootDir: string };
    const container = await answered(docker.createContainer(layout(namespace, image, root)), 'agent');
    try {
      const how = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
      const line = (await answered(container.attach(how), 'agent')) as unknown as Socket;
      const looker = new DiskLooker(container, line, root);
      looker.listen();
      await answered(container.start(), 'agent');
      // It is held between two looks: no reason for this process to stay.
      line.unref();
      return looker;
    } catch (error) {
      await removeContainer(container);
      throw error;
    }
  }

  /** @throws Error when there is no answer, with what it said instead */
  async look(): Promise<DiskSight> {
    return (await this.ask('')) as DiskSight;
  }

  /**
   * Bytes of the blocks that files below a folder of the engine have, counted until they are more than `maxBytes`; null
   * where nobody can say. @throws Error when there is no answer
   */
  async weigh(dir: string, maxBytes: number): Promise<number | null> {
    if (!dir.startsWith(`${this.root}/`)) return null;
    const asked = JSON.stringify({ dir: `${ENGINE_INSIDE}${dir.slice(this.root.length)}`, maxBytes });
    return ((await this.ask(asked)) as { bytes: number | null }).bytes;
  }

  /** One question after the other. */
  private ask(question: string): Promise<unknown> {
    const answer = this.turn.then(() => this.answerTo(question));
    this.turn = answer.catch(() => undefined); // told to who asked
    return answer;
  }

  private async answerTo(question: string): Promise<unknown> {
    this.said = '';
    const heard = new Promise<void>((resolve) => (this.hear = resolve));
    if (!this.over) this.line.write(`${question}\n`);
    const end = this.over ? 'over' : await firstOf(heard, ANSWER_MS);
    if (end === 'ended' && this.said.endsWith('}\n')) return JSON.parse(this.said) as unknown;
    throw new Error(`nobody looks at the engine's disk: ${this.said.slice(0, 500)}`);
  }

  async remove(): Promise<void> {
    this.line.destroy();
    await removeContainer(this.container);
  }

  private listen(): void {
    const frames = new Frames((chunk) => {
      this.said += chunk.toString('utf8');
      if (this.said.endsWith('\n')) this.hear();
    });
    this.line.on('data', (chunk: Buffer) => {
      frames.push(chunk);
    });
    for (const event of ['end', 'close', 'error']) {
      this.line.once(event, () => {
        this.over = true;
        this.hear();
      });
    }
  }
}

function layout(namespace: Namespace, image: string, root: string): Docker.ContainerCreateOptions {
  return {
    name: `${namespace}-disk-${randomBytes(8).toString('hex')}`,
    Image: image,
    Entrypoint: [NODE_INSIDE],
    Cmd: ['-e', HELD_FILES],
    Labels: helperLabels(namespace, 'disk', Date.now() + LIFE_MS),
    User: '0:0',
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      AutoRemove: true,
      PidMode: 'host',
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      // Of it the writable layers are weighed, without what is mounted below.
      Mounts: [
        {
          Type: 'bind',
          Source: root,
          Target: ENGINE_INSIDE,
          ReadOnly: true,
          BindOptions: { Propagation: 'rslave', NonRecursive: true } as Docker.MountSettings['BindOptions'],
        },
      ],
      CapDrop: ['ALL'],
      // Whoever runs a process: its folders in /proc, its open files, its mapped files (proc_pid_map_files(5)).
      CapAdd: ['DAC_READ_SEARCH', 'SYS_PTRACE', 'SYS_ADMIN'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 64,
      Memory: 256 * MEBIBYTE,
      MemorySwap: 256 * MEBIBYTE,
      NanoCpus: 1e9,
      LogConfig: { Type: 'none', Config: {} },
    },
  };
}
