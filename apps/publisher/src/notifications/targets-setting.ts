import { fileSetting, type Setting } from '@assay/service-kit';
import { type CheckedTargets, loadTargets } from './targets-file';

/** The variable names a file of targets; the value is what stands in it, checked whole when the process starts. */
export function targetsFile(): Setting<CheckedTargets> {
  return fileSetting('the path of a file of notification targets (docs/notifications.md)', loadTargets);
}
