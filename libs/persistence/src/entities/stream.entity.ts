import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A stream as it was when last seen: another creation time means that its messages are lost. */
@Entity('streams')
export class StreamEntity {
  @PrimaryColumn({ type: 'text' })
  name!: string;

  @Column({ type: 'text' })
  created!: string;
}
