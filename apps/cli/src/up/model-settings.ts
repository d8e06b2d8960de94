import { UsageError } from '../output';

/** A model that speaks the OpenAI chat API. */
export interface ModelSettings {
  readonly url: string;
  readonly key: string;
  readonly model: string;
}

const NAMES = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'OPENAI_MODEL'] as const;

/**
 * The real model that the environment names, or null where it names none: then the stand-in takes its place. An empty
 * variable counts as absent. Throws UsageError where only some are set, or one cannot be right; never shows the key.
 */
export function modelSettings(env: NodeJS.ProcessEnv): ModelSettings | null {
  const missing = NAMES.filter((name) => (env[name] ?? '') === '');
  if (missing.length === NAMES.length) return null;
  if (missing.length > 0) {
    const there = NAMES.filter((name) => !missing.includes(name));
    throw new UsageError(
      `${isOrAre(there)} set, ${isOrAre(missing)} missing: set all three for a real model, or none for the stand-in`,
    );
  }
  const { OPENAI_BASE_URL: url = '', OPENAI_API_KEY: key = '', OPENAI_MODEL: model = '' } = env;
  if (!URL.canParse(url) || !['http:', 'https:'].includes(new URL(url).protocol)) {
    throw new UsageError(`OPENAI_BASE_URL: expected a URL such as https://host/v1, got ${JSON.stringify(url)}`);
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('OPENAI_API_KEY: expected printable ASCII characters without spaces; its value is not shown');
  }
  return { url, key, model };
}

function isOrAre(names: readonly string[]): string {
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'}`;
}
