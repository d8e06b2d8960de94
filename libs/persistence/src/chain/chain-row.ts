/** SQL: the links of a run's chain as `ChainLink`s, over the table `runs` under its own name. */
export const CHAIN = `(select coalesce(jsonb_agg(jsonb_build_object('suite', c.suite, 'limit', c.suite_limit,
    'instanceId', c.instance_id, 'state', c.state, 'reason', c.reason, 'runId', c.child_run_id,
    'at', to_char(c.settled_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by c.position), '[]')
  from chains c where c.run_id = runs.id)`;

/** SQL: the run in whose chain a run was started. */
export const CHAIN_OF = '(select c.run_id from chains c where c.child_run_id = runs.id)';

/** SQL: true for the first link `c` that waits for the run `$1`; the links after it wait for it in turn. */
export const NEXT_AFTER = `c.state = 'PENDING' and (
    (c.run_id = $1 and c.position = 0) or exists (
      select 1 from chains b where b.child_run_id = $1 and b.run_id = c.run_id and b.position + 1 = c.position))`;
