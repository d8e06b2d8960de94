#!/usr/bin/env node
/** Prints the path of the S3 server that tests start, fetching it if need be; exits 1 with the reason where there is none. */
import { findS3Server } from './s3.mjs';

try {
  const note = (line) => process.stderr.write(`${line}\n`);
  process.stdout.write(`${await findS3Server({ note })}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
