import { z } from 'zod';

const AssetBody = z.object({
  id: z.int(),
  name: z.string(),
  label: z.string().nullable(),
  /** GitHub's schema says `uploaded` and `open`, its text tells of `starter`, the remains of a failed upload. */
  state: z.string(),
  size: z.int(),
  digest: z.string().nullish(),
  browser_download_url: z.string(),
});

const ReleaseBody = z.object({
  id: z.int(),
  url: z.string(),
  tag_name: z.string(),
  body: z.string().nullish(),
  draft: z.boolean(),
  prerelease: z.boolean(),
  immutable: z.boolean().optional(),
  upload_url: z.string(),
  html_url: z.string(),
  assets: z.array(AssetBody),
});

/** A file on a release. */
export interface ReleaseAsset {
  readonly id: number;
  readonly name: string;
  readonly label: string;
  /** False for what a failed upload left behind; safe to delete. */
  readonly uploaded: boolean;
  /** Bytes. */
  readonly size: number;
  /** `sha256:…`; null where GitHub has none (old assets). */
  readonly digest: string | null;
  readonly downloadUrl: string;
}

/** What we read of a release (https://docs.github.com/en/rest/releases/releases#get-a-release). */
export interface Release {
  readonly id: number;
  /** `owner/name` as the release's own address has it: another one than was asked for after a rename or a transfer. */
  readonly repository: string;
  readonly tag: string;
  readonly body: string | null;
  readonly draft: boolean;
  readonly prerelease: boolean;
  /** Takes no assets and gives none away; its notes can change. */
  readonly immutable: boolean;
  readonly uploadUrl: string;
  readonly pageUrl: string;
  readonly assets: readonly ReleaseAsset[];
}

/** Reads GitHub's answer. @throws ZodError when it is not a release */
export function releaseOf(answer: unknown): Release {
  const found = ReleaseBody.parse(answer);
  return {
    id: found.id,
    repository: /\/repos\/([^/]+\/[^/]+)\/releases\/\d+$/.exec(new URL(found.url).pathname)?.[1] ?? '',
    tag: found.tag_name,
    body: found.body ?? null,
    draft: found.draft,
    prerelease: found.prerelease,
    immutable: found.immutable ?? false,
    uploadUrl: found.upload_url,
    pageUrl: found.html_url,
    assets: found.assets.map(shaped),
  };
}

/** Reads GitHub's answer. @throws ZodError when it is not an asset */
export function assetOf(answer: unknown): ReleaseAsset {
  return shaped(AssetBody.parse(answer));
}

function shaped(asset: z.infer<typeof AssetBody>): ReleaseAsset {
  return {
    id: asset.id,
    name: asset.name,
    label: asset.label ?? '',
    uploaded: asset.state === 'uploaded',
    size: asset.size,
    digest: asset.digest ?? null,
    downloadUrl: asset.browser_download_url,
  };
}
