import Docker from 'dockerode';
import { Digest } from '@assay/contracts';
import { describeNeeding, missingTestImage } from '@assay/testing';
import { missingRegistry, RealRegistry, TEST_LOGIN } from '../../conformance/real-registry';
import { SandboxHarness, writeTree } from '../../conformance/sandbox-harness';
import { DockerSandboxProvider, type DockerProviderOptions } from '../docker-provider';

const docker = new Docker();
const never = new AbortController().signal;
const harness = new SandboxHarness({
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: null }),
});

describeNeeding(missingTestImage() ?? missingRegistry(), 'a registry that asks for a login', () => {
  let registry: RealRegistry;
  beforeAll(async () => {
    await harness.open();
    registry = await RealRegistry.start('login');
  });
  afterAll(async () => {
    await harness.close();
    for (const { Id, RepoTags, RepoDigests } of await docker.listImages()) {
      const names = [...(RepoTags ?? []), ...(RepoDigests ?? [])];
      if (!names.some((name) => name.startsWith(registry.host) || name.startsWith(`${harness.namespace}/`))) continue;
      await docker.getImage(Id).remove({ force: true });
    }
    await registry.close();
  });

  function worker(logins: DockerProviderOptions['registryLogins'], more: Partial<DockerProviderOptions> = {}) {
    const { namespace } = harness;
    return new DockerSandboxProvider({
      namespace,
      baseImage: null,
      ...more,
      ...(logins === undefined ? {} : { registryLogins: logins }),
    });
  }

  async function pushed(name: string) {
    const digest = await registry.push(`team/${name}`);
    return { kind: 'reference', reference: `${registry.host}/team/${name}:v1`, digest } as const;
  }

  const own = (): DockerProviderOptions['registryLogins'] => new Map([[registry.host, TEST_LOGIN]]);

  test('gives its images to who has one, and to nobody else, and nobody is told the password', async () => {
    const source = await pushed('private');
    const wrong = new Map([[registry.host, { ...TEST_LOGIN, password: 'wrong-canary' }]]);
    const elsewhere = new Map([['registry.example', TEST_LOGIN]]);
    for (const logins of [undefined, wrong, elsewhere]) {
      const refusal: unknown = await worker(logins)
        .prepareImage(source, null, never)
        .catch((error: unknown) => error);
      expect(refusal).toMatchObject({ blame: 'infra', code: 'image_unavailable' });
      expect(JSON.stringify(refusal) + String(refusal)).not.toMatch(/canary/);
    }
    const { imageId } = await worker(own()).prepareImage(source, null, never);
    expect(JSON.stringify(await docker.getImage(imageId).inspect())).not.toMatch(/canary/);
    expect(registry.asked.some((line) => line.startsWith('200 '))).toBe(true);
  });

  test('is asked with it as a mirror too', async () => {
    const digest = await registry.push('hub/team/mirrored');
    const source = { kind: 'reference', reference: 'team/mirrored', digest } as const;
    const provider = worker(own(), { registryMirror: `${registry.host}/hub` });
    expect((await provider.prepareImage(source, null, never)).workdir).toBe('/work');
  });

  test('is where a Dockerfile may begin', async () => {
    const { reference } = await pushed('base');
    const contextDir = await harness.hostDir();
    await writeTree(contextDir, { Dockerfile: `FROM ${reference}\nCOPY Dockerfile /made\n` });
    const source = (digit: string) => ({ kind: 'build', contextDigest: Digest.parse(digit.repeat(64)) }) as const;
    await expect(worker(undefined).prepareImage(source('d'), contextDir, never)).rejects.toMatchObject({
      code: 'image_build_failed',
    });
    expect((await worker(own()).prepareImage(source('e'), contextDir, never)).workdir).toBe('/work');
  });
});
