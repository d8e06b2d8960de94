/** What a process shows GitHub to be let in. */
export interface GithubCredential {
  /**
   * The token as it is now; asked before every request.
   * @throws InfraError where there is none to be had
   */
  token(): Promise<string>;
  /** GitHub refused this token (401). True: another one can be had, so the request is worth a second try. */
  refused(token: string): Promise<boolean>;
}

/** A token that somebody else renews, read anew before every request; a refused one may have been renewed since. */
export function tokenCredential(read: () => string | Promise<string>): GithubCredential {
  return {
    token: async () => read(),
    refused: async (token) => (await read()) !== token,
  };
}
