#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { startGithubStandin } from './server.mjs';

const USAGE = `usage: node tools/github-standin/bin.mjs [--port N] [--host H] [--state FILE] [--repository OWNER/NAME]... [--check]
A stand-in of GitHub for the demo and the tests. The token it wants: GITHUB_STANDIN_TOKEN (none set: any).`;

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      state: { type: 'string' },
      repository: { type: 'string', multiple: true, default: [] },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  const token = process.env.GITHUB_STANDIN_TOKEN;
  const standin = await startGithubStandin({
    port: Number(values.port),
    host: values.host,
    repositories: values.repository,
    check: values.check,
    ...(values.state === undefined ? {} : { stateFile: values.state }),
    ...(token === undefined || token === '' ? {} : { token }),
  });
  console.log(`GitHub stand-in listening on ${standin.url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      for (const problem of standin.problems) console.error(`not as GitHub describes it: ${problem}`);
      void standin.stop().then(() => process.exit(0));
    });
  }
} catch (error) {
  const taken = error.code === 'EADDRINUSE';
  console.error(`GitHub stand-in: ${taken ? `the port is taken (${error.message})` : error.message}`);
  process.exit(1);
}
