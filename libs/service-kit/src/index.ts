export { artifactConfig, artifactPlace, oneArtifactStore, type ArtifactSettings } from './artifact-config';
export { bootService } from './boot';
export { buildDigest, digestOf } from './build-digest';
export { commonConfig, DEFAULT_PORTS, type CommonConfig } from './common-config';
export { describeConfig, type SettingDescription } from './describe-config';
export { errorReply, refusalOf } from './error-replies';
export { HttpServerAdapter, type HttpServing } from './http-server';
export { JsonBody } from './json-body';
export { BUILD_DIGEST, HealthModule, KitModule, LOGGER, type AnyModule, type ServiceKit } from './kit.module';
export { configurationFile, configurationIndex, configurationPage } from './docs/configuration-page';
export { ConfigError, EX_CONFIG, loadConfig } from './load-config';
export { openArtifacts } from './open-artifacts';
export { Readiness, type Probe, type ReadinessReport } from './readiness';
export { Refusal } from './refusal';
export { dockerOptions, envRegistryPrefix, sandboxConfig, type SandboxSettings } from './sandbox-config';
export { readPrivateFile, readSecretFile, UnsafeSecretFile } from './secret-file';
export { startService, type RunningService, type ServiceDefinition } from './service';
export { setting, type Setting } from './setting';
export {
  envBool,
  envChoice,
  envInt,
  envList,
  envNatsUrls,
  envNumber,
  envPath,
  envPort,
  envSecret,
  envText,
  envUrl,
  fileSetting,
  secretFile,
} from './settings';
export { reach, reasonOf, StartError } from './start-error';
export { validated } from './zod-validation';
