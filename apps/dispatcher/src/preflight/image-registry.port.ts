/** What a registry says about an image name. */
export type RegistryAnswer =
  | { readonly answer: 'digest'; readonly digest: string }
  /** It has no such image, or shows it to nobody who has no credentials: no later look will change that by itself. */
  | { readonly answer: 'absent'; readonly reason: string }
  /** It cannot say now. */
  | { readonly answer: 'unavailable'; readonly reason: string; readonly retryAfterSeconds: number | null };

export interface ImageRegistry {
  /** Never rejects for what a registry answers or fails to answer. Rejects with the signal's reason when that is raised. */
  digestOf(image: string, signal: AbortSignal): Promise<RegistryAnswer>;
}
