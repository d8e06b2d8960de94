import { DispatchRequest, Manifest, Receipt, RunOrigin, RunResult, SkippedReceipt } from '@assay/contracts';
import { Envelope, Statement } from '@assay/evidence';
import { aFailedResult, aManifest, aPublicResult, expectFresh } from '@assay/testing';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { z } from 'zod';

/** Every file that others read or send, by the name of its format. */
const FORMATS: Readonly<Record<string, z.ZodType>> = {
  'assay.release-request-1': DispatchRequest,
  'assay.receipt-1': z.union([Receipt, SkippedReceipt]),
  'assay.origin-1': RunOrigin,
  'assay.manifest-1': Manifest,
  'assay.result-1': RunResult,
  'assay.statement-1': Statement,
  'dsse-envelope': Envelope,
};

function jsonSchema(name: string): object {
  const { $schema, ...rest } = z.toJSONSchema(FORMATS[name] ?? z.never(), { io: 'input', unrepresentable: 'any' });
  return { $schema, title: name.replace(/-(\d)$/, '/$1'), ...rest };
}

test.each(Object.keys(FORMATS))('schemas/%s.schema.json says what the code checks', (name) => {
  expectFresh(`schemas/${name}.schema.json`, `${JSON.stringify(jsonSchema(name), null, 2)}\n`);
});

describe('a schema in the repository', () => {
  const valid = (name: string, value: unknown): boolean => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    return ajv.validate(jsonSchema(name), value);
  };

  test.each([
    ['assay.result-1', aPublicResult()],
    ['assay.result-1', aFailedResult()],
    ['assay.manifest-1', aManifest()],
    [
      'assay.receipt-1',
      { schemaVersion: 'assay.receipt/1', status: 'SKIPPED', rule: null, reason: 'Skipping benchmark for v1.2.3' },
    ],
    [
      'assay.release-request-1',
      { schemaVersion: 'assay.release-request/1', event: 'release', repository: 'a/b', releaseTag: 'v1.0.0' },
    ],
  ])('%s takes what we write, and nothing beside it', (name, value) => {
    expect(valid(name, value)).toBe(true);
    expect(valid(name, { ...value, colour: 'red' })).toBe(false);
    expect(valid(name, { ...value, schemaVersion: 'assay.other/1' })).toBe(false);
  });
});
