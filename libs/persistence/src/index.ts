export { Database, type DatabaseOptions, type Sql } from './database';
