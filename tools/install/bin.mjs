#!/usr/bin/env node
/** Installs the npm packages if node_modules does not match the lock file. */
import { ensureInstalled, requireNode } from './ensure.mjs';

requireNode();
await ensureInstalled();
