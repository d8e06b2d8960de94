import { describeNeeding, missingTestImage, testImage } from '@assay/testing';
import { execConformance } from '../conformance/exec-conformance';
import { filesConformance } from '../conformance/files-conformance';
import { lifeConformance } from '../conformance/life-conformance';
import { reachConformance } from '../conformance/reach-conformance';
import { TEST_FORWARDER, type Adapter } from '../conformance/sandbox-harness';
import { DockerSandboxProvider } from './docker-provider';

const adapter: Adapter = {
  name: 'docker',
  provider: (namespace) => new DockerSandboxProvider({ namespace, baseImage: testImage(), forwarder: TEST_FORWARDER }),
};

describeNeeding(missingTestImage(), 'the docker sandbox', () => {
  execConformance(adapter);
  filesConformance(adapter);
  lifeConformance(adapter);
  reachConformance(adapter);
});
