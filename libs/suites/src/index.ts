export { agentSeconds, type HarborTask, verifierSeconds } from './tasks/harbor-task';
export { readTask } from './tasks/read-task';
export { KEY_RULES, type KeyRule } from './tasks/key-rules';
export { contextDigest, MAX_BUNDLE_BYTES, packFolder, packTask } from './bundles/pack-folder';
export { type BundleSource, unpackFolder } from './bundles/unpack-folder';
export { unpackTask, type UnpackedTask } from './bundles/unpack-task';
export { type ImageArch, imageFor, type ImageNaming, officialImage } from './swebench/image-name';
export { type NamedImage, parseImage } from './swebench/image-reference';
export { readRow, readRows, type ReadRow } from './swebench/read-rows';
export type { SwebenchRow } from './swebench/row.schema';
export { TestIds } from './swebench/test-ids.schema';
export { datasetIds } from './swebench/dataset';
export { datasetFile, type DatasetFile, DATASETS, type DatasetSubset } from './swebench/dataset-file';
export { DEFAULT_SEED, type InstanceSelection, selectInstances } from './selection/select-instances';
export { sortedIds } from './selection/sorted-ids';
export { isEmptyPatch, type Prediction, type PredictionProblem, type Predictions } from './predictions/prediction';
export { keepKnown, readPredictions } from './predictions/read-predictions';
export { loadSuite, parseSuite, type Suite } from './suite/load-suite';
export { maxErrorThreshold, SuiteFile } from './suite/suite.schema';
export { wordingOf } from './suite/wording';
export { openSource, type PackedInstance, type TaskSource } from './suite/task-source';
export { chooseInstances, type ChoosingSuite } from './manifest/choose-instances';
export { choosePredicted, type PredictionSet } from './manifest/choose-predicted';
export { chooseAgent, type KnownAgent } from './manifest/choose-agent';
export { chooseSandbox, type SandboxName } from './manifest/choose-sandbox';
export { type InstanceList, instanceList } from './manifest/instance-list';
export {
  type BundleStore,
  type Evaluated,
  freezeManifest,
  type FreezeRequest,
  GRADER_VERSIONS,
  manifestDigest,
} from './manifest/freeze-manifest';
export { linesOf, LineTooLong } from './text/lines-of';
