import { Controller } from '@nestjs/common';
import { FLOW, type ResultMessage, type RunSubmittedMessage } from '@assay/contracts';
import { PATTERN_EXTRAS_METADATA } from '@nestjs/microservices/constants';
import type { RpcReply } from '../rpc/rpc-types';
import { CoreMessage, Rpc, StreamConsumer, WorkHandler } from './handlers';
import { subscriptionsOf } from './subscriptions';
import { done, type Verdict } from './verdict';

@Controller()
class Coordinator {
  @Rpc('claim')
  claim(): Promise<RpcReply<'claim'>> {
    return Promise.resolve({ answer: 'done' });
  }

  @StreamConsumer('result.*')
  result(_message: ResultMessage): Promise<Verdict> {
    return Promise.resolve(done());
  }

  @StreamConsumer('run.submitted')
  run(_message: RunSubmittedMessage): Promise<Verdict> {
    return Promise.resolve(done());
  }

  notDecorated(): number {
    return 1;
  }
}

@Controller()
class Executor {
  @WorkHandler('trial')
  trial(): never {
    throw new Error('never called');
  }
}

@Controller()
class Control {
  @CoreMessage('control.cancel')
  cancel(): Promise<void> {
    return Promise.resolve();
  }
}

test('lists what controllers take in the words of FLOW, sorted', () => {
  expect(subscriptionsOf([Coordinator])).toEqual([
    'rpc:claim',
    'stream:result.grade',
    'stream:result.publication',
    'stream:result.trial',
    'stream:run.submitted',
  ]);
});

test('a worker listens to cancel by itself; each subscription is listed once', () => {
  expect(subscriptionsOf([Executor])).toEqual(['core:control.cancel', 'stream:work.trial']);
  expect(subscriptionsOf([Executor, Control])).toEqual(['core:control.cancel', 'stream:work.trial']);
});

test('every subscription stands in FLOW', () => {
  const known = new Set(FLOW.flatMap(({ consumes }) => consumes as readonly string[]));
  for (const subscription of subscriptionsOf([Coordinator, Executor, Control])) expect(known).toContain(subscription);
});

test('a class without handlers takes nothing', () => {
  class Plain {
    method(): number {
      return 1;
    }
  }
  expect(subscriptionsOf([Plain])).toEqual([]);
});

test("the metadata key is Nest's own", () => {
  const method = Object.getOwnPropertyDescriptor(Executor.prototype, 'trial')?.value as object;
  expect(Reflect.getMetadata(PATTERN_EXTRAS_METADATA, method)).toMatchObject({
    assay: { channel: 'work', kind: 'trial' },
  });
});
