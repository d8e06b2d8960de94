import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { TestS3 } from '@assay/testing';
import type { ArtifactPlace, S3Access } from '../index';

/** The bucket of a test's server as a place; `endpoint` where something stands between. */
export function placeOf(
  s3: TestS3,
  prefix = 'assay/artifacts',
  endpoint = s3.endpoint,
): ArtifactPlace & { kind: 's3' } {
  const { accessKeyId, secretAccessKey } = s3;
  return {
    kind: 's3',
    location: { bucket: TestS3.BUCKET, prefix },
    access: { endpoint, region: 'us-east-1', pathStyle: true, credentials: { accessKeyId, secretAccessKey } },
  };
}

/** Writes an object past the store. */
export async function putObject({ endpoint, credentials, region }: S3Access, key: string, body: Buffer): Promise<void> {
  if (endpoint === null || credentials === null) throw new Error('a test server has an endpoint and keys');
  const client = new S3Client({ endpoint, credentials, region, forcePathStyle: true });
  await client.send(new PutObjectCommand({ Bucket: TestS3.BUCKET, Key: key, Body: body, ContentLength: body.length }));
  client.destroy();
}
