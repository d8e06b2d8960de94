#!/usr/bin/env node
/**
 * Stands in for Jaeger where its image cannot be had: takes OTLP traces over HTTP on port 4318 and answers
 * `GET :16686/spans` with what came: `[{traceId, name, service}]`.
 */
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

const spans = [];

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    try {
      const raw = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      const { resourceSpans = [] } = JSON.parse(body.toString('utf8'));
      for (const { resource, scopeSpans = [] } of resourceSpans) {
        const named = resource?.attributes?.find(({ key }) => key === 'service.name');
        for (const { traceId, name } of scopeSpans.flatMap((scope) => scope.spans ?? [])) {
          spans.push({ traceId, name, service: named?.value?.stringValue ?? null });
        }
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    } catch (error) {
      response.writeHead(400).end(error.message);
    }
  });
}).listen(4318, '0.0.0.0');

createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(spans));
}).listen(16686, '0.0.0.0');

process.on('SIGTERM', () => process.exit(0));
