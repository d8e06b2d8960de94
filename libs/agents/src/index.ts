export { whyNotHere as whyAgentNotHere } from './availability';
export { placedAt, LAYER_DIR, type AgentLayer, type PlacedLayer } from './layers/agent-layer';
export { AgentLayers, defaultLayersDir, type FrozenAgent } from './layers/agent-layers';
export { npmIntegrity, type NpmVersion } from './layers/npm-registry.client';
export type { AgentPackage } from './layers/agent-package';
export { agentNamed, KNOWN_AGENTS, resolveAgent } from './registry';
export { Atif } from './trajectory/atif.schema';
export { redactorOf, type Redactor } from './trajectory/redaction';
export { trajectoryOf, type TrajectoryHead } from './trajectory/trajectory';
export type { Observation, StepSink, StepTokens, ToolCall, TrajectoryStep } from './trajectory/trajectory-step';
export { readSteps, TrajectoryWriter } from './trajectory/trajectory-writer';
export {
  type AgentReport,
  type AgentRun,
  type AgentTask,
  type GatewayAccess,
  type ModelEndpoint,
  NO_MODEL,
  NO_USAGE,
  type TrialAgent,
} from './trial-agent.port';
export { WorkspaceRecorder } from './workspace/workspace-recorder';
