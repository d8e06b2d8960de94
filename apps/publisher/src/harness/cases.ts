import type { ArtifactStore } from '@assay/artifacts';
import { InstanceId, type PublishedCase } from '@assay/contracts';

/** A trajectory as an executor stores it. */
export function aTrajectory(message: string, extra: Record<string, unknown> = {}): Buffer {
  const steps = [
    { step_id: 1, timestamp: '2026-01-01T00:00:00Z', source: 'agent', message },
    {
      step_id: 2,
      source: 'agent',
      message: 'done',
      tool_calls: [{ tool_call_id: 'c1', function_name: 'shell', arguments: { command: message } }],
      observation: { results: [{ source_call_id: 'c1', content: message }] },
    },
  ];
  const document = {
    schema_version: 'ATIF-v1.7',
    session_id: 's-1',
    agent: { name: 'mini', version: '0.1.0' },
    steps,
    final_metrics: { total_steps: 2 },
    extra: { limit: null, failure: null, traceparent: '00-1-2-01', ...extra },
  };
  return Buffer.from(JSON.stringify(document));
}

/** Stores what a trial left, and names it as the coordinator would. */
export async function aCase(
  artifacts: ArtifactStore,
  id: string,
  { trajectory, patch, sample = 0 }: { trajectory?: Buffer; patch?: Buffer; sample?: number },
): Promise<PublishedCase> {
  const kept = async (name: string, content?: Buffer): Promise<PublishedCase['patch']> => {
    if (content === undefined) return null;
    const { digest, size } = await artifacts.put(name, 'text/plain', content);
    return { digest, size };
  };
  return {
    instanceId: InstanceId.parse(id),
    sample,
    trajectory: await kept('trajectory', trajectory),
    patch: await kept('patch', patch),
  };
}
