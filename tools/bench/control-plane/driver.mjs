#!/usr/bin/env node
/**
 * Workers whose trials and grades cost nothing: they claim, heartbeat, tell their phases, store artifacts and send
 * results through the worker's side of libs/messaging as executor and grader do, and do no work in between.
 *
 *   NATS_URL=… ASSAY_ARTIFACTS_DIR=… node driver.mjs SLOTS
 *
 * Once it works, it tells its parent the CPU time of its start.
 */
import 'reflect-metadata';
import { createRequire } from 'node:module';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pino from 'pino';

// Built as CommonJS: its names are there for a require only.
const require = createRequire(import.meta.url);
const { FileArtifactStore } = require('@assay/artifacts');
const { DEFAULT_TIMINGS, Namespace } = require('@assay/contracts');
const { connectNats, JetStreamServer, newWorkerId, WorkHandler } = require('@assay/messaging');
const { buildDigest } = require('@assay/service-kit');

const namespace = Namespace.parse('assay');
const store = new FileArtifactStore({ dir: process.env.ASSAY_ARTIFACTS_DIR, namespace });

const handlers = {
  async trial({ key, phase }) {
    phase('RUNNING_AGENT');
    phase('UPLOADING');
    const patch = await put('patch', 'text/x-diff', `--- a/${key.instanceId}\n+++ b/${key.instanceId}\n`);
    const trajectory = await put('trajectory', 'application/json', JSON.stringify({ instance: key.instanceId }));
    const log = await put('agent_log', 'text/plain', `nothing was done for ${key.instanceId}\n`);
    const outcome = {
      kind: 'completed',
      patch,
      trajectory,
      limit: null,
      usage: { calls: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0, costUsd: null, estimated: false },
      model: { usesModel: false, completedExchanges: 0, lastFailedUpstream: false },
      imageId: 'process',
      timings: { prepareMs: 0, agentMs: 0, extractMs: 0 },
    };
    return { outcome, artifacts: [patch, trajectory, log] };
  },

  async grade({ key, spec }) {
    const log = await put('grade_log', 'text/plain', `nothing was tested of ${key.instanceId}\n`);
    const report = await put('report', 'application/json', JSON.stringify({ instance: key.instanceId, reward: 0 }));
    const outcome = {
      kind: 'graded',
      verdict: 'UNRESOLVED',
      reward: 0,
      graderVersion: spec.grader.version,
      suspicions: [],
      imageId: 'process',
      durationMs: 0,
    };
    return { outcome, artifacts: [log, report] };
  },
};

function put(name, mediaType, text) {
  return store.put(name, mediaType, Buffer.from(text));
}

/** A Nest app that does one kind of work: what the decorators of a TypeScript class come to. */
async function appOf(kind) {
  class Work {
    handle(work) {
      return handlers[kind](work);
    }
  }
  WorkHandler(kind)(Work.prototype, 'handle', Object.getOwnPropertyDescriptor(Work.prototype, 'handle'));
  Controller()(Work);
  class Root {}
  Module({ controllers: [Work] })(Root);
  const app = await NestFactory.create(Root, { logger: false });
  const worker = { worker: newWorkerId(), buildDigest: buildDigest(), slots: Number(process.argv[2]) };
  app.connectMicroservice({ strategy: new JetStreamServer({ link, timings: DEFAULT_TIMINGS, logger, worker }) });
  await app.startAllMicroservices();
  return app;
}

const logger = pino({ level: 'warn' });
const link = await connectNats({ url: process.env.NATS_URL, name: 'bench-driver', namespace });
const apps = await Promise.all(Object.keys(handlers).map(appOf));

async function stop() {
  await Promise.all(apps.map((app) => app.close()));
  await link.close();
  process.exit(0);
}
process.once('SIGTERM', () => void stop());

const { user, system } = process.cpuUsage();
process.send?.({ startMs: (user + system) / 1000 });
