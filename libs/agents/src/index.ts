export { agentNamed, KNOWN_AGENTS } from './registry';
export { trajectoryOf, type TrajectoryHead, type TrajectoryStep } from './trajectory/trajectory';
export type { AgentReport, AgentRun, AgentTask, ModelEndpoint, TrialAgent } from './trial-agent.port';
export { WorkspaceRecorder } from './workspace/workspace-recorder';
