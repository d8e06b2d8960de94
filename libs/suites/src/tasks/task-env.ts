const TEMPLATE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

export interface ResolvedEnv {
  readonly env: Record<string, string>;
  /** Variables of the host that a value asks for without a default. */
  readonly missing: readonly { readonly key: string; readonly variable: string }[];
  /** Keys whose values took the default of a template. */
  readonly defaulted: readonly string[];
}

/**
 * Harbor fills `${VAR}` and `${VAR:-default}` from the environment of the host. Nothing of the host's environment goes
 * into a sandbox here: the default is taken, and a template without one is a missing variable.
 */
export function resolveEnv(values: Readonly<Record<string, string>>): ResolvedEnv {
  const missing: { key: string; variable: string }[] = [];
  const defaulted = new Set<string>();
  const env = Object.entries(values).map(([key, value]) => [
    key,
    value.replace(TEMPLATE, (template, variable: string, fallback: string | undefined) => {
      if (fallback === undefined) {
        missing.push({ key, variable });
        return template;
      }
      defaulted.add(key);
      return fallback;
    }),
  ]);
  return { env: Object.fromEntries(env) as Record<string, string>, missing, defaulted: [...defaulted] };
}
