import type { SandboxProviders } from './sandbox-providers';

/** Asks every provider whether it can work now. @throws InfraError of the first that cannot */
export async function ableToWork(providers: SandboxProviders): Promise<void> {
  await Promise.all([...providers.values()].map((provider) => provider.check()));
}
