import { ArtifactEntity } from './artifact.entity';
import { AttemptEntity } from './attempt.entity';
import { AuditLogEntity } from './audit-log.entity';
import { ChainEntity } from './chain.entity';
import { EventEntity } from './event.entity';
import { GradeEntity } from './grade.entity';
import { InstanceEntity } from './instance.entity';
import { NoticeEntity } from './notice.entity';
import { NotificationEntity } from './notification.entity';
import { OutboxEntity } from './outbox.entity';
import { PublicationEntity } from './publication.entity';
import { PublicationTryEntity } from './publication-try.entity';
import { RunEntity } from './run.entity';
import { ServiceTokenEntity } from './service-token.entity';
import { SpentTokenEntity } from './spent-token.entity';
import { StreamEntity } from './stream.entity';
import { WorkItemEntity } from './work-item.entity';
import { WorkerEntity } from './worker.entity';

/** Every table; a test holds them against the migrations. */
export const ENTITIES = [
  RunEntity,
  InstanceEntity,
  AttemptEntity,
  GradeEntity,
  PublicationTryEntity,
  WorkItemEntity,
  EventEntity,
  ArtifactEntity,
  OutboxEntity,
  PublicationEntity,
  WorkerEntity,
  StreamEntity,
  ServiceTokenEntity,
  SpentTokenEntity,
  AuditLogEntity,
  ChainEntity,
  NoticeEntity,
  NotificationEntity,
];
