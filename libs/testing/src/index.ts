export { missingDocker } from './docker';
export { eventually } from './eventually';
export { describeNeeding } from './needs';
export { freePort, freshDatabase, TestNats, type TestDatabase } from './servers';
