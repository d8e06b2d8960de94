import { execConformance } from '../conformance/exec-conformance';
import { filesConformance } from '../conformance/files-conformance';
import { lifeConformance } from '../conformance/life-conformance';
import { reachConformance } from '../conformance/reach-conformance';
import type { Adapter } from '../conformance/sandbox-harness';
import { ProcessSandboxProvider } from './process-provider';

const adapter: Adapter = {
  name: 'process',
  provider: (namespace, workDir) =>
    new ProcessSandboxProvider({ namespace, workDir, path: process.env['PATH'] ?? '/usr/bin:/bin' }),
};

execConformance(adapter);
filesConformance(adapter);
lifeConformance(adapter);
reachConformance(adapter);
