import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { tooMany } from '../denied';
import type { Principal } from '../principal';

/** Calls in a minute. */
export interface RateSettings {
  readonly perAddress: number;
  readonly perCaller: number;
  /** Refused tokens of one address, after which its calls are not looked at until the minute is over. */
  readonly failures: number;
}

/** Counts calls in this process, by address and by caller. */
export class RateLimits {
  private readonly addresses: RateLimiterMemory;
  private readonly callers: RateLimiterMemory;
  private readonly failed: RateLimiterMemory;

  constructor(private readonly settings: RateSettings) {
    const duration = 60;
    this.addresses = new RateLimiterMemory({ points: settings.perAddress, duration });
    this.callers = new RateLimiterMemory({ points: settings.perCaller, duration });
    this.failed = new RateLimiterMemory({ points: settings.failures, duration });
  }

  /** A call from this address. @throws Denied 429 */
  async arrival(address: string): Promise<void> {
    const network = networkOf(address);
    const failures = await this.failed.get(network);
    if (failures !== null && failures.consumedPoints >= this.settings.failures) {
      throw tooMany('too_many_failures', 'too many refused tokens came from this address', failures.msBeforeNext);
    }
    await this.count(this.addresses, network, `more than ${this.settings.perAddress} calls a minute from this address`);
  }

  /** A call of somebody who was let in. @throws Denied 429 */
  async call(principal: Principal): Promise<void> {
    await this.count(
      this.callers,
      keyOf(principal),
      `more than ${this.settings.perCaller} calls a minute of this caller`,
    );
  }

  /** A token from this address that was refused. */
  async failure(address: string): Promise<void> {
    await this.failed.penalty(networkOf(address), 1);
  }

  private async count(limiter: RateLimiterMemory, key: string, message: string): Promise<void> {
    try {
      await limiter.consume(key);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw tooMany('too_many_calls', message, error.msBeforeNext);
    }
  }
}

/** An IPv6 host may take any address of its /64, so that is what is counted. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0');
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':');
}

function keyOf(principal: Principal): string {
  switch (principal.kind) {
    case 'deployment':
      return 'deployment';
    case 'service':
      return `token ${principal.tokenId}`;
    case 'workflow':
      return `repository ${principal.repositoryId}`;
  }
}
