#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startModelStandin } from './server.mjs';

const USAGE =
  'usage: node tools/model-standin/bin.mjs --transcripts DIR [--port N] [--host H]  (key: MODEL_STANDIN_KEY)';

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      transcripts: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help || values.transcripts === undefined) {
    console.log(USAGE);
    process.exit(values.help ? 0 : 2);
  }
  const apiKey = process.env.MODEL_STANDIN_KEY;
  const standin = await startModelStandin({
    port: Number(values.port),
    host: values.host,
    transcriptsDir: values.transcripts,
    ...(apiKey === undefined ? {} : { apiKey }),
  });
  console.log(`model stand-in listening on ${standin.url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void standin.stop().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(
    `model stand-in: ${error.code === 'EADDRINUSE' ? `the port is taken (${error.message})` : error.message}`,
  );
  process.exit(1);
}
