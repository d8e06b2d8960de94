export { agentNamed, KNOWN_AGENTS } from './registry';
export { Atif } from './trajectory/atif.schema';
export { redactorOf, type Redactor } from './trajectory/redaction';
export { trajectoryOf, type TrajectoryHead } from './trajectory/trajectory';
export type { Observation, StepSink, StepTokens, ToolCall, TrajectoryStep } from './trajectory/trajectory-step';
export { readSteps, TrajectoryWriter } from './trajectory/trajectory-writer';
export type { AgentReport, AgentRun, AgentTask, ModelEndpoint, TrialAgent } from './trial-agent.port';
export { WorkspaceRecorder } from './workspace/workspace-recorder';
