export type {
  ExecRequest,
  ExecResult,
  PreparedImage,
  Sandbox,
  SandboxLimits,
  SandboxProvider,
  SandboxRequest,
} from './sandbox.port';
