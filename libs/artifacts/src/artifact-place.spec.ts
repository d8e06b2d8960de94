import { namesBucket, readS3Location } from './artifact-place';

test.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
  ['s3://my.bucket-1/assay', { bucket: 'my.bucket-1', prefix: 'assay' }],
  ['s3://bucket/team/assay/', { bucket: 'bucket', prefix: 'team/assay' }],
  ['s3://bucket/.hidden/a.b', { bucket: 'bucket', prefix: '.hidden/a.b' }],
])('%s names a bucket', (text, location) => {
  expect(readS3Location(text)).toEqual(location);
});

test.each([
  's3://',
  's3:///prefix',
  's3://ab',
  's3://Bucket',
  's3://bucket_name',
  's3://a..b',
  's3://192.168.1.1',
  's3://-bucket',
  's3://bucket:9000/x',
  's3://key:secret@bucket',
  's3://bucket//x',
  's3://bucket/x//',
  's3://bucket/../x',
  's3://bucket/x/..',
  's3://bucket/./x',
  's3://bucket/a b',
  's3://bucket/a?b=c',
  `s3://bucket/${'x'.repeat(901)}`,
  `s3://${'b'.repeat(64)}`,
  'S3://bucket',
  '/var/lib/assay',
])('%s is refused', (text) => {
  expect(readS3Location(text)).toBeUndefined();
});

test('what means a bucket is told from a folder, also when it is misspelt', () => {
  expect(['s3://', 'S3://bucket', 's3://Bad_Name'].map(namesBucket)).toEqual([true, true, true]);
  expect(['/var/s3', 's3', './s3:/x'].map(namesBucket)).toEqual([false, false, false]);
});
