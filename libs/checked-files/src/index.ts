export { check, type Checked, invalidFile, type InvalidFile, type LocatedProblem, type PathProblem } from './located';
export { parseYamlFile, type YamlFile } from './parse-yaml-file';
